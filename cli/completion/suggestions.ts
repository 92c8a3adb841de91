import type { Command, Flag } from '#cli/command'
import { globalFlags, guardsOf } from '#cli/program'

/** Only such names reach a shell: no other character is special in one. */
const SAFE_NAME = /^[A-Za-z0-9._-]{1,64}$/

/**
 * What may come in the place of the last word of a line, without `footfall` at its beginning. Empty: the
 * shell offers files. `projects` is asked only where a name of a project may come.
 */
export async function suggestions(
  words: readonly string[],
  commands: readonly Command[],
  projects: () => Promise<readonly string[]>,
): Promise<string[]> {
  const before = words.slice(0, -1)
  const last = words.at(-1) ?? ''
  const command = commandIn(before, commands)
  const flags = [...globalFlags, ...(command === undefined ? [] : [...command.flags, ...guardsOf(command)])]
  const open = flags.find(({ flags: text }) => takesValue(text) && longName(text) === before.at(-1))
  const all =
    open !== undefined
      ? (open.choices ?? [])
      : await wordsAt(before, last, command, flags, commands, projects)
  return all.filter(word => word.startsWith(last) && SAFE_NAME.test(word.replace(/^--/, ''))).toSorted()
}

async function wordsAt(
  before: readonly string[],
  last: string,
  command: Command | undefined,
  flags: readonly Flag[],
  commands: readonly Command[],
  projects: () => Promise<readonly string[]>,
): Promise<readonly string[]> {
  if (last.startsWith('-')) return ['--help', ...flags.map(({ flags: text }) => longName(text))]
  const plain = plainWords(before, flags)
  if (command === undefined) {
    const names = commands
      .flatMap(({ name, aliases = [] }) => [name, ...aliases])
      .map(name => name.split(' '))
    return [
      ...new Set(
        [...names, ['help']]
          .filter(name => plain.every((word, i) => name[i] === word))
          .map(name => name[plain.length] ?? ''),
      ),
    ]
  }
  const argument = command.args[plain.length - wordCount(command, plain)]
  if (argument?.choices !== undefined) return argument.choices
  return argument?.isProject === true ? projects() : []
}

/** The longest command that the words begin with. */
function commandIn(before: readonly string[], commands: readonly Command[]): Command | undefined {
  const plain = plainWords(before, globalFlags)
  const isIt = (name: string) => name.split(' ').every((word, i) => plain[i] === word)
  return commands.find(({ name, aliases = [] }) => [name, ...aliases].some(isIt))
}

function wordCount({ name }: Command, plain: readonly string[]): number {
  return plain.length === 0 ? 0 : name.split(' ').length
}

/** Words that are neither options nor their values. */
function plainWords(words: readonly string[], flags: readonly Flag[]): string[] {
  const withValue = flags
    .filter(({ flags: text }) => takesValue(text))
    .map(({ flags: text }) => longName(text))
  return words.filter((word, i) => !word.startsWith('-') && !withValue.includes(words[i - 1] ?? ''))
}

function takesValue(flags: string): boolean {
  return flags.includes('<')
}

function longName(flags: string): string {
  return /--[a-z-]+/.exec(flags)?.[0] ?? ''
}
