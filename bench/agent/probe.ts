import { countTokens } from 'gpt-tokenizer'
import type { Question, ToolCall } from './questions.ts'

/** Calls a tool of the service under test, and returns the text that a model would read. */
export type CallTool = (call: ToolCall) => Promise<{ text: string; isError: boolean }>

export type Probed = {
  id: string
  calls: number
  /** Of the list of tools, the arguments and the answers together, by the tokenizer o200k_base. */
  tokens: number
  /** Empty when the answers show the number. */
  problems: string[]
}

/** What a question may take. */
export const MOST = { calls: 3, tokens: 6_000 }

/**
 * Asks the recorded calls of a question, and looks for the number in their answers. No model is needed.
 * `listTokens`: what the list of tools costs a model, which reads it for each question.
 */
export async function probe(question: Question, callTool: CallTool, listTokens: number): Promise<Probed> {
  const problems: string[] = []
  let tokens = listTokens
  let shown = ''
  for (const call of question.calls) {
    const { text, isError } = await callTool(call)
    if (isError) problems.push(`${call.tool} is refused: ${text}`)
    tokens += countTokens(JSON.stringify(call)) + countTokens(text)
    shown += `${text}\n`
  }
  for (const pattern of question.shows) {
    if (!pattern.test(shown)) problems.push(`no answer shows ${pattern}:\n${shown}`)
  }
  const calls = question.calls.length
  if (calls > MOST.calls) problems.push(`takes ${calls} calls, at most ${MOST.calls} are allowed`)
  if (tokens > MOST.tokens) problems.push(`takes ${tokens} tokens, at most ${MOST.tokens} are allowed`)
  return { id: question.id, calls, tokens, problems }
}
