import { cleanText } from '#core/text/clean-text'
import { nearestName } from '#core/text/nearest-name'
import type { Command, Input } from './command.ts'
import { CommandError } from './errors.ts'
import type { Session } from './run-context.ts'

const MAX_NAME_CHARS = 64
/** What to suggest when something other than a project is not found, by the first word of the command. */
const LISTS: Readonly<Record<string, string>> = {
  portfolios: 'See which there are: footfall portfolios list',
  replays: 'See which there are: footfall replays list',
  scan: 'Check the id of --resume, or begin another analysis: footfall scan URL',
}

/**
 * Adds a suggestion to an error about something that was not found: the project that the caller may have
 * meant, or for a portfolio, a replay or an analysis the command that helps. Returns other errors unchanged,
 * and also this one if the projects cannot be read.
 */
export async function nearestProject(
  error: unknown,
  { name, args }: Command,
  input: Input,
  { client }: Session,
): Promise<unknown> {
  if (!(error instanceof CommandError) || error.problem.error !== 'NOT_FOUND') return error
  const takesProject = args.some(({ isProject }) => isProject)
  const asked = takesProject ? input.args.NAME : missingOf(input, error.problem.message)
  const advice = LISTS[name.split(' ')[0] as string]
  if (!takesProject && asked === undefined && advice !== undefined)
    return new CommandError({ ...error.problem, suggested_action: advice })
  if (asked === undefined) return error
  const names = await client({ endpoint: 'GET /projects' }).then(
    ({ answer }) => answer.projects.map(({ name }) => name),
    () => [],
  )
  const near = nearestName(asked, names)
  if (near === null) return error
  const suggested_action = `Did you mean ${cleanText(near, MAX_NAME_CHARS)}? footfall list has all projects.`
  return new CommandError({ ...error.problem, suggested_action })
}

/** The value of --project or --projects that the message names. */
function missingOf({ options }: Input, message: string): string | undefined {
  const names = [options.project, options.projects].flat().filter(each => typeof each === 'string')
  return /project/i.test(message) ? names.find(each => message.includes(each)) : undefined
}
