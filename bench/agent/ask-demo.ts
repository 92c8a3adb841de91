import { countTokens } from 'gpt-tokenizer'
import { choosingQuestions } from './choosing-questions.ts'
import type { McpTools } from './mcp-tools.ts'
import type { ToolCall } from './questions.ts'
import {
  type DemoQuestion,
  FIND_USER,
  HTTP_BEGINNING,
  type HttpCall,
  MCP_BEGINNING,
  tenQuestions,
} from './ten-questions.ts'

/** What one step costs an agent. Bytes are those of the answer; tokens those of the call and the answer. */
export type Cost = { calls: number; bytes: number; tokens: number }
export type Asked = { id: string; http: Cost; mcp: Cost }
export type DemoResult = {
  /** The first row is what comes before the questions. */
  asked: Asked[]
  /** The questions about a part of the traffic. They count nowhere else. */
  choosing: Asked[]
  http: Cost
  mcp: Cost
  problems: string[]
}

/** What the ten questions may take. The list of tools, which a client reads once, is no call. */
export const MOST_OF_DEMO = { http: { calls: 15, bytes: 40 * 1_024 }, mcp: { calls: 14 } }

/**
 * Asks the ten questions of the demo, and ten about a part of its traffic, by HTTP, as a client that knows
 * the address alone, and by MCP. The numbers of both must agree. `baseUrl` has a demo.
 */
export async function askDemo(baseUrl: string, tools: McpTools): Promise<DemoResult> {
  const problems: string[] = []
  /** What the client has read before its questions. */
  let documents = ''
  let token: string | null = null

  async function http({ method, path, body }: HttpCall): Promise<{ text: string; cost: Cost }> {
    const response = await fetch(baseUrl + path, {
      method,
      headers: token === null ? {} : { Authorization: `Bearer ${token}` },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const names = [...new URLSearchParams(path.split('?', 2)[1] ?? '').keys()]
    for (const name of documents === '' ? [] : names)
      if (!documents.includes(name)) problems.push(`${path}: no document says ${name}`)
    if (!response.ok) problems.push(`${method} ${path}: ${response.status} ${text}`)
    return { text, cost: costOf(`${method} ${path} ${body === undefined ? '' : JSON.stringify(body)}`, text) }
  }
  async function mcp(call: ToolCall): Promise<{ text: string; cost: Cost }> {
    const { text, isError } = await tools.callTool(call)
    if (isError) problems.push(`${call.tool} is refused: ${text}`)
    return { text, cost: costOf(JSON.stringify(call), text) }
  }

  const beginning: Cost[] = []
  for (const call of HTTP_BEGINNING) {
    const { text, cost } = await http(call)
    if (call.path === '/demo/session') token = JSON.parse(text).agent_session.access_token
    else documents += text
    beginning.push(cost)
  }
  const found = await http(FIND_USER.http)
  beginning.push(found.cost)
  const mcpBeginning = [{ calls: 0, bytes: 0, tokens: tools.listTokens }]
  for (const call of [...MCP_BEGINNING, FIND_USER.mcp]) mcpBeginning.push((await mcp(call)).cost)
  async function ask(question: DemoQuestion): Promise<Asked> {
    const [byHttp, byMcp] = [await http(question.http), await mcp(question.mcp)]
    const numbers = problems.length > 0 ? [] : question.numbers(JSON.parse(byHttp.text))
    if (numbers.length === 0 && problems.length === 0)
      problems.push(`${question.id}: the answer has no number`)
    for (const number of numbers.filter(each => !hasNumber(byMcp.text, each)))
      problems.push(`${question.id}: HTTP says ${number}, and MCP does not:\n${byMcp.text}`)
    return { id: question.id, http: byHttp.cost, mcp: byMcp.cost }
  }
  const asked: Asked[] = [{ id: 'to begin', http: sumOf(beginning), mcp: sumOf(mcpBeginning) }]
  for (const question of tenQuestions(FIND_USER.userOf(JSON.parse(found.text))))
    asked.push(await ask(question))
  const choosing: Asked[] = []
  for (const question of choosingQuestions) choosing.push(await ask(question))
  const result = { asked, http: sumOf(asked.map(each => each.http)), mcp: sumOf(asked.map(each => each.mcp)) }
  return { ...result, choosing, problems: [...problems, ...excess(result)] }
}

/** The result as lines. */
export function demoReport({ asked, choosing, http, mcp, problems }: DemoResult): string[] {
  const cells = ({ calls, bytes, tokens }: Cost) =>
    [calls, bytes, tokens].map(cell => String(cell).padStart(12)).join('')
  const row = (id: string, of: { http: Cost; mcp: Cost }) => id.padEnd(18) + cells(of.http) + cells(of.mcp)
  return [
    ' '.repeat(18) +
      ['HTTP: calls', 'bytes', 'tokens', 'MCP: calls', 'bytes', 'tokens']
        .map(name => name.padStart(12))
        .join(''),
    ...asked.map(each => row(each.id, each)),
    row('together', { http, mcp }),
    '',
    ...choosing.map(each => row(each.id, each)),
    ...problems,
  ]
}

function costOf(call: string, answer: string): Cost {
  return { calls: 1, bytes: Buffer.byteLength(answer), tokens: countTokens(call) + countTokens(answer) }
}

function sumOf(costs: readonly Cost[]): Cost {
  const sum = (name: keyof Cost) => costs.reduce((total, cost) => total + cost[name], 0)
  return { calls: sum('calls'), bytes: sum('bytes'), tokens: sum('tokens') }
}

/** As a word of its own: 12 is not in 123. */
function hasNumber(text: string, number: string): boolean {
  return text.split(/[^\p{L}\p{N}_.:/$-]+/u).some(word => word.replace(/[.:]$/, '') === number)
}

function excess({ http, mcp }: Pick<DemoResult, 'http' | 'mcp'>): string[] {
  const most = MOST_OF_DEMO
  return [
    ...(http.calls > most.http.calls
      ? [`HTTP takes ${http.calls} calls, at most ${most.http.calls} are allowed`]
      : []),
    ...(http.bytes > most.http.bytes
      ? [`HTTP takes ${http.bytes} bytes, at most ${most.http.bytes} are allowed`]
      : []),
    ...(mcp.calls > most.mcp.calls
      ? [`MCP takes ${mcp.calls} calls, at most ${most.mcp.calls} are allowed`]
      : []),
  ]
}
