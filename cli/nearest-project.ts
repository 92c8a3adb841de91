import { cleanText } from '#core/text/clean-text'
import { nearestName } from '#core/text/nearest-name'
import type { Command, Input } from './command.ts'
import { CommandError } from './errors.ts'
import type { Session } from './run-context.ts'

const MAX_NAME_CHARS = 64
/** Commands that list what the others of their first word take. */
const LISTS = ['portfolios list', 'replays list']

/**
 * An error about a project that is not there, with the name that the caller may have meant; of a portfolio or
 * a replay, with the command that lists them. Other errors come back as they are, and so does this one when
 * the projects cannot be read.
 */
export async function nearestProject(
  error: unknown,
  { name, args }: Command,
  input: Input,
  { client }: Session,
): Promise<unknown> {
  const asked = input.args.NAME
  const takesProject = args.some(({ isProject }) => isProject)
  if (!(error instanceof CommandError) || error.problem.error !== 'NOT_FOUND') return error
  const list = LISTS.find(each => each.startsWith(`${name.split(' ')[0]} `))
  if (!takesProject && list !== undefined)
    return new CommandError({ ...error.problem, suggested_action: `See which there are: footfall ${list}` })
  if (asked === undefined || !takesProject) return error
  const names = await client({ endpoint: 'GET /projects' }).then(
    ({ answer }) => answer.projects.map(({ name }) => name),
    () => [],
  )
  const near = nearestName(asked, names)
  if (near === null) return error
  const suggested_action = `Did you mean ${cleanText(near, MAX_NAME_CHARS)}? footfall list has all projects.`
  return new CommandError({ ...error.problem, suggested_action })
}
