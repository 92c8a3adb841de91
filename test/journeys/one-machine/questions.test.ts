import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { shellWords } from '#test/cli/shell-words'
import { runHere } from '#test/cli/world'
import { demoFolder } from '#test/support/demo-folder'
import { eventually } from '#test/support/eventually'
import { cleanUp, newFolder, type Service, startService } from '#test/support/service-process'

/**
 * Every call of docs/api/questions.md works as it stands on the demo, and its answer is where the page says.
 * One service answers all of them in the order of the page: later rows read what earlier ones have sent.
 */

type Question = { question: string; call: string; answer: string }

const page = readFileSync(resolve(import.meta.dirname, '../../../docs/api/questions.md'), 'utf8')
const rows = page.split('\n').filter(line => line.includes('? | '))
const questions = rows.map((row): Question => {
  const [, question = '', call = '', answer = ''] =
    /^\| (.+?\?) \| `(.+?)` \| (?:`([\w.]+)`|what it prints) \| .+ \|$/.exec(row) ?? expect.unreachable(row)
  return { question, call, answer }
})

/** The page docs/api/questions.md has at least so many. */
const FEWEST_QUESTIONS = 40

let service: Service
beforeAll(async () => {
  service = await startService({ dataDir: await demoFolder(), seed: true })
})
afterAll(cleanUp)

test('the page has forty questions, no two alike, by HTTP, MCP and command line', () => {
  expect(new Set(questions.map(({ question }) => question)).size).toBe(questions.length)
  expect(questions.length).toBeGreaterThanOrEqual(FEWEST_QUESTIONS)
  const kinds = new Set(questions.map(({ call }) => call.split(' ', 1)[0]))
  expect([...kinds]).toEqual(expect.arrayContaining(['GET', 'POST', 'PATCH', 'DELETE', 'mcp', 'footfall']))
})

/** Sends the call and returns the body, or what the command line has printed. */
async function answerTo(call: string): Promise<unknown> {
  const [, kind = '', target = '', given = ''] = /^(\w+) (\S+) ?(.*)$/.exec(call) ?? expect.unreachable(call)
  if (kind === 'footfall') return printed(call)
  if (kind === 'mcp') {
    const params = { name: target, arguments: JSON.parse(given) }
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
    const response = await send('POST', '/mcp', JSON.stringify(body))
    expect(response.result.isError, JSON.stringify(response)).toBeFalsy()
    return response
  }
  return send(kind, target, given.replace('aat_…', service.credentials.project_token))
}

// biome-ignore lint/suspicious/noExplicitAny: the test follows the path that the page names
async function send(method: string, path: string, body: string): Promise<any> {
  const response = await fetch(service.baseUrl + path, {
    method,
    headers: { 'X-API-Key': service.credentials.api_key },
    ...(body !== '' && { body }),
  })
  const text = await response.text()
  expect(response.ok, `${response.status} ${text}`).toBe(true)
  return JSON.parse(text)
}

async function printed(call: string): Promise<string> {
  const [words = []] = await shellWords([call])
  const { code, stdout, stderr } = await runHere(words, {
    env: { AA_BASE_URL: service.baseUrl, AA_CONFIG_DIR: newFolder() },
  })
  expect(code, stderr).toBe(0)
  return stdout
}

/** A number above zero, a text, true, a list or an object with something in it. */
function hasContent(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0
  return (
    value === true || (typeof value === 'number' && value > 0) || (typeof value === 'string' && value !== '')
  )
}

test('an empty answer is none', () => {
  for (const empty of [undefined, null, 0, '', false, [], {}]) expect(hasContent(empty)).toBe(false)
})

const isRead = (call: string) => /^(GET|footfall|mcp)|^POST \/(query|funnel|paths|events)/.test(call)

test.each(questions.map(({ question, call, answer }) => [question, call, answer] as const))(
  'How do I %s',
  async (_, call, answer) => {
    const ask = async () => {
      const body = await answerTo(call)
      // biome-ignore lint/suspicious/noExplicitAny: as above
      const at = answer === '' ? body : answer.split('.').reduce((value: any, name) => value?.[name], body)
      expect(hasContent(at), JSON.stringify(body).slice(0, 500)).toBe(true)
    }
    // Events of earlier rows arrive within seconds. What changes something is sent once.
    await (isRead(call) ? eventually(ask) : ask())
  },
)
