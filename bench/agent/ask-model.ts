import { setTimeout as sleep } from 'node:timers/promises'
import { countTokens } from 'gpt-tokenizer'
import type { McpTools } from './mcp-tools.ts'
import type { Question } from './questions.ts'
import { judge, type Verdict } from './score.ts'

/** A model behind an address that speaks the chat completions of OpenAI, with tools. */
export type Model = {
  /** Up to and without `/chat/completions`. */
  url: string
  name: string
  /** Sent as Bearer; null sends none. */
  key: string | null
}

export type Asked = Verdict & {
  id: string
  kind: Question['kind']
  answer: string
  calls: number
  /** Calls that the service has refused, so that the model had to call again. */
  retries: number
  /** What the model says that it read and wrote, else what the tokenizer o200k_base counts. */
  tokens: number
  seconds: number
}

type Message = {
  role: 'system' | 'user' | 'assistant' | 'tool'
  content: string | null
  tool_calls?: { id: string; type: 'function'; function: { name: string; arguments: string } }[]
  tool_call_id?: string
}
type Completion = { choices?: { message?: Message }[]; usage?: { total_tokens?: number } }

/** A model that goes on calling has no answer. */
const MAX_CALLS = 15
const TIMEOUT_MS = 180_000
const BUSY = new Set([429, 503, 529])
const MAX_TRIES = 6
/** A service that changes or removes something was not asked to. */
const FORBIDDEN = new Set(['remove', 'manage'])

const SYSTEM =
  'You answer questions about the web analytics of a company with the tools that you have. Answer in one to three sentences with the numbers that were asked for. If the question leaves open what is meant, ask the human back instead of guessing, and name the possibilities. If what was asked for is not in the data, say so.'

/** Asks a model one question and scores its answer. Never throws for what the model or its address does. */
export async function askModel(
  question: Question,
  model: Model,
  tools: Pick<McpTools, 'functions' | 'callTool'>,
  today: string,
): Promise<Asked> {
  const started = performance.now()
  const counts = { calls: 0, retries: 0, tokens: 0 }
  const end = (answer: string, problems: string[]): Asked => ({
    ...{ id: question.id, kind: question.kind, answer, ...counts },
    isTrue: problems.length === 0,
    problems,
    seconds: (performance.now() - started) / 1_000,
  })
  const messages: Message[] = [
    { role: 'system', content: `${SYSTEM} Today is ${today} (UTC).` },
    { role: 'user', content: question.text },
  ]
  const forbidden: string[] = []
  try {
    while (counts.calls <= MAX_CALLS) {
      const { message, tokens } = await complete(model, messages, tools.functions)
      counts.tokens += tokens
      messages.push(message)
      const wanted = message.tool_calls ?? []
      if (wanted.length === 0) {
        const answer = message.content ?? ''
        return end(answer, [...judge(question, answer).problems, ...forbidden])
      }
      for (const { id, function: called } of wanted) {
        counts.calls++
        if (FORBIDDEN.has(called.name)) forbidden.push(`calls ${called.name}`)
        const { text, isError } = await callTool(called, tools)
        if (isError) counts.retries++
        messages.push({ role: 'tool', tool_call_id: id, content: text })
      }
    }
    return end('', [`has no answer after ${MAX_CALLS} calls`])
  } catch (error) {
    return end('', [`fails: ${error instanceof Error ? error.message : error}`])
  }
}

/** Arguments that are not JSON are the mistake of the model, as those that the service refuses. */
async function callTool(
  called: { name: string; arguments: string },
  { callTool, functions }: Pick<McpTools, 'functions' | 'callTool'>,
): Promise<{ text: string; isError: boolean }> {
  if (!functions.some(({ name }) => name === called.name)) {
    return { text: `There is no tool ${called.name}.`, isError: true }
  }
  let args: Record<string, unknown>
  try {
    args = JSON.parse(called.arguments === '' ? '{}' : called.arguments)
  } catch {
    return { text: 'The arguments are not JSON.', isError: true }
  }
  return callTool({ tool: called.name, args })
}

async function complete(
  { url, name, key }: Model,
  messages: readonly Message[],
  functions: McpTools['functions'],
): Promise<{ message: Message; tokens: number }> {
  const send = () =>
    fetch(`${url}/chat/completions`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        ...(key !== null && { Authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify({
        model: name,
        messages,
        tools: functions.map(each => ({ type: 'function', function: each })),
      }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
  let response = await send()
  // A limit of the model's address is no failure of the model. The wait counts in its seconds.
  for (let tries = 1; BUSY.has(response.status) && tries < MAX_TRIES; tries++) {
    await sleep(1_000 * Math.min(60, Number(response.headers.get('retry-after') ?? 5)))
    response = await send()
  }
  if (!response.ok) throw new Error(`the model answers with status ${response.status}`)
  const { choices, usage } = (await response.json()) as Completion
  const message = choices?.[0]?.message
  if (message === undefined) throw new Error('the model answers without a message')
  const counted = () => countTokens(JSON.stringify(messages)) + countTokens(JSON.stringify(message))
  // Some models add fields that they refuse to read again.
  const { role, content, tool_calls } = message
  return {
    message: { role, content: content ?? null, ...(tool_calls?.length && { tool_calls }) },
    tokens: usage?.total_tokens ?? counted(),
  }
}
