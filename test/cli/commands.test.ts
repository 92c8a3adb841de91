import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { type Command, optionKey } from '#cli/command'
import { commands } from '#cli/commands/all'
import type { Call } from '#cli/http/endpoint'
import { optionOf, REPORT_PLACES } from '#schemas/report-places'
import { isMetered, type Route } from '#schemas/route'
import { routes } from '#schemas/routes'

const byEndpoint = new Map(
  Object.values(routes as Record<string, Route>).map(route => [`${route.method} ${route.path}`, route]),
)

const CONTEXT_FILE = join(mkdtempSync(join(tmpdir(), 'footfall-')), 'context.json')
writeFileSync(CONTEXT_FILE, '{"goals":[]}')
afterAll(() => rmSync(dirname(CONTEXT_FILE), { recursive: true }))

/** A value for each option, so that a call has every parameter that it can have. */
function fullInput({ args, flags }: Command) {
  const exclusive = ['file', 'stepsJson', 'fromContext', 'all', 'filter', 'resume', 'segment']
  const options = flags
    .filter(flag => !exclusive.includes(optionKey(flag)))
    .map(flag => [
      optionKey(flag),
      flag.as === 'list'
        ? ['1', '1']
        : flag.as === 'whole'
          ? 1
          : flag.as === 'switch'
            ? true
            : (flag.choices?.[0] ?? 'x'),
    ])
  return {
    args: Object.fromEntries(args.map(({ name }) => [name, 'demo'])),
    options: {
      ...Object.fromEntries(options),
      file: CONTEXT_FILE,
      where: '{"field":"country","op":"exists"}',
    },
  }
}

function fieldsOf(schema: z.ZodType | undefined): string[] {
  if (schema === undefined) return []
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as { properties?: object }
  return Object.keys(json.properties ?? {})
}

const calls = commands.filter(command => 'call' in command)

describe.each(calls.map(command => [command.name, command] as const))('%s', (_, command) => {
  test('sends only parameters that its route has', async () => {
    const call: Call = await command.call(fullInput(command) as never)
    const route = byEndpoint.get(call.endpoint) as Route
    const known = [...fieldsOf(route.query), ...fieldsOf(route.body), ...fieldsOf(route.options)]
    const sent = Object.entries({ ...call.query, ...call.body }).filter(([, value]) => value !== undefined)
    expect(sent.map(([name]) => name).filter(name => !known.includes(name))).toEqual([])
  })

  test('says what it does to the data when it does not only read', async () => {
    const call: Call = await command.call(fullInput(command) as never)
    const route = byEndpoint.get(call.endpoint) as Route
    const isRead = isMetered(route) || route.method === 'GET'
    expect(command.effect === undefined).toBe(isRead)
  })
})

test('names of commands and of their options are unique', () => {
  const names = commands.flatMap(({ name, aliases = [] }) => [name, ...aliases])
  expect(new Set(names).size).toBe(names.length)
  for (const { name, flags } of commands) {
    const keys = flags.map(optionKey)
    expect(new Set(keys).size, name).toBe(keys.length)
  }
})

/** Parameters of every report that the command line sets by itself, or has as another option. */
const WITHOUT_OPTION = [
  'project',
  'receipt',
  'compact',
  'sql',
  'fields',
  'date_from',
  'date_to',
  'since',
  'until',
  'days',
]

describe.each(Object.entries(REPORT_PLACES).filter(([, { command }]) => command !== null))(
  '%s',
  (endpoint, { command }) => {
    const [name = '', all] = command?.split(' --') ?? []
    const found = commands.find(each => each.name === name) as Command

    test('its command sends it', async () => {
      expect(found?.name).toBe(name)
      if (!('call' in found)) return
      const { args, options } = fullInput(found)
      const input = { args: all === undefined ? args : {}, options: { ...options, all: all !== undefined } }
      expect((await found.call(input as never)).endpoint).toBe(endpoint)
    })

    test('its command has an option for every parameter, under the name that the dashboard writes', () => {
      const route = byEndpoint.get(endpoint) as Route
      const known = [...fieldsOf(route.query), ...fieldsOf(route.body), ...fieldsOf(route.options)]
      const options = found.flags.map(({ flags }) => flags.split(' ')[0])
      const missing = known.filter(each => !options.includes(optionOf(each)))
      expect(missing.filter(each => !WITHOUT_OPTION.includes(each))).toEqual([])
    })
  },
)

test('every metered read stands in the table of its places', () => {
  const reads = [...byEndpoint].filter(([, route]) => isMetered(route)).map(([endpoint]) => endpoint)
  expect(reads.filter(endpoint => !(endpoint in REPORT_PLACES))).toEqual([])
})

test('docs/cli.md names every command', () => {
  const page = readFileSync(resolve(import.meta.dirname, '../../docs/cli.md'), 'utf8')
  expect(commands.map(({ name }) => name).filter(name => !page.includes(`\`${name}`))).toEqual([])
})
