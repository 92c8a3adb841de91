import type { Command, Flag, Input, RunCommand } from '#cli/command'
import { completionScript, SHELLS, type Shell } from '#cli/completion/scripts'
import { suggestions } from '#cli/completion/suggestions'
import type { Session } from '#cli/run-context'
import { stdinText } from '#cli/stdin-text'

const FLAGS: readonly Flag[] = [
  {
    flags: '--words',
    as: 'switch',
    help: 'what the scripts ask: what may come after the words on stdin, one a line',
  },
]

/** Its suggestions are of all commands, and it is one of them. */
export function completionOf(commands: () => readonly Command[]): RunCommand {
  return {
    name: 'completion',
    group: 'Tools',
    effect: 'local',
    args: [{ name: 'SHELL', help: 'the shell that will run it', choices: SHELLS }],
    flags: FLAGS,
    summary: 'Prints what a shell runs to complete commands, options and names of projects',
    example: 'completion bash',
    async run({ args, options }: Input, session: Session) {
      const shell = args.SHELL as Shell
      if (options.words !== true) {
        const text = completionScript(shell)
        if (session.globals.json) session.print([], JSON.stringify({ shell, script: text }))
        else session.io.stdout.write(text)
        return
      }
      const words = (await stdinText(session.io.stdin)).replace(/\n$/, '').split('\n')
      const names = await suggestions(words, commands(), () => projectNames(session, words))
      session.io.stdout.write(names.map(name => `${name}\n`).join(''))
    },
  }
}

/** Of the demo without a request, because each key press would take one of its sessions. */
async function projectNames(session: Session, words: readonly string[]): Promise<readonly string[]> {
  if (words.includes('--demo')) return ['demo']
  try {
    const { answer } = await session.client({ endpoint: 'GET /projects' })
    return answer.projects.map(({ name }) => name)
  } catch {
    return []
  }
}
