import { parseArgs } from 'node:util'
import { shardsNeeded } from './ingest.ts'
import { type Usage, usageSchema } from './usage.ts'

export type CostRequest = {
  usage: Usage
  show: 'services' | 'lines' | 'sensitivity' | 'help' | 'doc'
  json: boolean
}

/** The command line is wrong. The message tells the user what to change. */
export class ArgumentError extends Error {}

const flags = ['lines', 'sensitivity', 'json', 'help', 'doc'] as const

/**
 * Parses the command line. An option has the name of a field of Usage, in dashes. Throws ArgumentError, which
 * names every wrong option.
 */
export function parseArguments(args: readonly string[]): CostRequest {
  const values = parseFlags(args)
  const views = (['lines', 'sensitivity', 'help', 'doc'] as const).filter(view => values[view] === true)
  if (views.length > 1) {
    throw new ArgumentError(`Give only one of ${views.map(view => `--${view}`).join(', ')}.`)
  }
  const fields = Object.entries(values).filter(([name]) => !(flags as readonly string[]).includes(name))
  const result = usageSchema.safeParse(
    Object.fromEntries(fields.map(([name, value]) => [toFieldName(name), value])),
  )
  if (!result.success) {
    throw new ArgumentError(
      result.error.issues
        .map(({ path, message }) => `Option --${toFlag(String(path[0]))} ${message}.`)
        .join('\n'),
    )
  }
  checkShards(result.data)
  if (result.data.ingestion !== 'api' && result.data.cloudfront === 'off')
    throw new ArgumentError('Option --ingestion function-url needs --cloudfront on. Leave one of them out.')
  return { usage: result.data, show: views[0] ?? 'services', json: values.json === true }
}

function parseFlags(args: readonly string[]): Record<string, string | boolean> {
  const options = Object.fromEntries([
    ...Object.keys(usageSchema.shape).map(name => [toFlag(name), { type: 'string' as const }]),
    ...flags.map(flag => [flag, { type: 'boolean' as const }]),
  ])
  try {
    return { ...parseArgs({ args: [...args], options, strict: true }).values } as Record<
      string,
      string | boolean
    >
  } catch (error) {
    throw new ArgumentError(`${(error as Error).message}\nRun npm run cost -- --help for a list of options.`)
  }
}

function checkShards(usage: Usage): void {
  const needed = shardsNeeded(usage)
  if (usage.stream === 'on-demand' && usage.shards > 0) {
    throw new ArgumentError('Option --shards works with --stream provisioned only. Leave it out.')
  }
  if (usage.shards > 0 && usage.shards < needed) {
    throw new ArgumentError(
      `Option --shards ${usage.shards} is too low: this peak needs ${needed}. Give more, or leave the option out.`,
    )
  }
}

/** The help text: all options with their meanings and defaults. */
export function helpText(): string {
  const options = Object.entries(usageSchema.shape).map(([name, field]) => {
    const { description = '' } = field.meta() ?? {}
    return `  --${toFlag(name).padEnd(18)} ${description} (${String(usageSchema.parse({})[name as keyof Usage])})`
  })
  return [
    'npm run cost -- --events 100M --batch 10     the cost of a month on AWS',
    '',
    ...options,
    '',
    '  --lines              every line of the bill',
    '  --sensitivity        the effect of each setting',
    '  --json               print JSON',
    '  --doc                update the tables of docs/cost.md',
  ].join('\n')
}

function toFlag(name: string): string {
  return name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)
}

function toFieldName(name: string): string {
  return name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
