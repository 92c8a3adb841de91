import { parseArgs } from 'node:util'
import { shardsNeeded } from './ingest.ts'
import { type Usage, usageSchema } from './usage.ts'

export type Request = {
  usage: Usage
  show: 'services' | 'lines' | 'sensitivity' | 'help' | 'doc'
  json: boolean
}

/** What the command line asks for wrongly, in words for who typed it. */
export class WrongArguments extends Error {}

const flags = ['lines', 'sensitivity', 'json', 'help', 'doc'] as const

/** Reads the command line. Options are named as the fields of Usage, with dashes. Throws WrongArguments, naming all that is wrong. */
export function readArguments(given: readonly string[]): Request {
  const values = parsed(given)
  const views = (['lines', 'sensitivity', 'help', 'doc'] as const).filter(view => values[view] === true)
  if (views.length > 1) throw new WrongArguments(`give one of ${views.map(view => `--${view}`).join(', ')}`)
  const fields = Object.entries(values).filter(([name]) => !(flags as readonly string[]).includes(name))
  const result = usageSchema.safeParse(
    Object.fromEntries(fields.map(([name, value]) => [camel(name), value])),
  )
  if (!result.success) {
    throw new WrongArguments(
      result.error.issues.map(({ path, message }) => `--${dashed(String(path[0]))} ${message}`).join('\n'),
    )
  }
  checkShards(result.data)
  return { usage: result.data, show: views[0] ?? 'services', json: values.json === true }
}

function parsed(given: readonly string[]): Record<string, string | boolean> {
  const options = Object.fromEntries([
    ...Object.keys(usageSchema.shape).map(name => [dashed(name), { type: 'string' as const }]),
    ...flags.map(flag => [flag, { type: 'boolean' as const }]),
  ])
  try {
    return { ...parseArgs({ args: [...given], options, strict: true }).values } as Record<
      string,
      string | boolean
    >
  } catch (error) {
    throw new WrongArguments(`${(error as Error).message}\nnpm run cost -- --help lists the options`)
  }
}

function checkShards(usage: Usage): void {
  const needed = shardsNeeded(usage)
  if (usage.stream === 'on-demand' && usage.shards > 0) {
    throw new WrongArguments('--shards is for --stream provisioned; leave it out')
  }
  if (usage.shards > 0 && usage.shards < needed) {
    throw new WrongArguments(
      `--shards ${usage.shards} would be throttled: this peak needs ${needed}; give more, or leave it out to have them counted`,
    )
  }
}

/** The options with their defaults and what they mean. */
export function helpText(): string {
  const options = Object.entries(usageSchema.shape).map(([name, field]) => {
    const { description = '' } = field.meta() ?? {}
    return `  --${dashed(name).padEnd(18)} ${description} (${String(usageSchema.parse({})[name as keyof Usage])})`
  })
  return [
    'npm run cost -- --events 100M --batch 10     what a month on AWS costs',
    '',
    ...options,
    '',
    '  --lines              every line of the bill',
    '  --sensitivity        what each setting changes',
    '  --json               the same for a program',
    '  --doc                write the tables of docs/cost.md anew',
  ].join('\n')
}

function dashed(name: string): string {
  return name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)
}

function camel(name: string): string {
  return name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
