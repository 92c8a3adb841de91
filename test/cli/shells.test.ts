import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, test } from 'vitest'
import { cleanUp, newFolder } from '#test/support/service-process'
import { builtCommandLine, installedCommand } from './built-cli.ts'
import { demoService } from './demo-service.ts'
import { signIn } from './sign-in.ts'
import { closeTerminals, openProgram } from './terminal.ts'
import { createRunner } from './world.ts'

/**
 * Completion in the shells themselves, in a pseudo-terminal: the script is installed where docs/cli.md says,
 * and a person presses Tab. A shell that this machine lacks is skipped by name: apt-get install zsh fish, or
 * brew.
 */

let env: Record<string, string>

beforeAll(async () => {
  const service = await demoService()
  chmodSync(await builtCommandLine(), 0o755)
  env = {
    AA_BASE_URL: service.baseUrl,
    AA_CONFIG_DIR: newFolder(),
    AA_CREDENTIAL_STORE: 'file',
    PATH: `${await installedCommand()}:${process.env.PATH}`,
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
  }
  const run = createRunner(env)
  await signIn(run, service)
  await run(['create', 'web-shop', '--domain', '*'])
})
afterAll(async () => {
  closeTerminals()
  await cleanUp()
})

const script = (shell: string) => execFileSync('footfall', ['completion', shell], { env, encoding: 'utf8' })

type Shell = {
  name: string
  args: readonly string[]
  /** Writes what makes the completion work in a new home. */
  install(home: string): void
}

const shells: readonly Shell[] = [
  {
    name: 'bash',
    args: ['--noprofile', '-i'],
    install(home) {
      writeFileSync(join(home, 'completion'), script('bash'))
      writeFileSync(
        join(home, '.bashrc'),
        `PS1='> '; bind 'set show-all-if-ambiguous on'; source ~/completion\n`,
      )
    },
  },
  {
    name: 'zsh',
    args: ['-d', '-i'],
    install(home) {
      mkdirSync(join(home, 'functions'))
      writeFileSync(join(home, 'functions/_footfall'), script('zsh'))
      writeFileSync(
        join(home, '.zshrc'),
        `PS1='> '; fpath=(~/functions $fpath); autoload -Uz compinit; compinit -u\n`,
      )
    },
  },
  {
    name: 'zsh, with the script in .zshrc',
    args: ['-d', '-i'],
    install(home) {
      writeFileSync(
        join(home, '.zshrc'),
        `PS1='> '; autoload -Uz compinit; compinit -u; source <(footfall completion zsh)\n`,
      )
    },
  },
  {
    name: 'fish',
    args: ['-i'],
    install(home) {
      const config = join(home, '.config/fish')
      mkdirSync(join(config, 'completions'), { recursive: true })
      writeFileSync(join(config, 'completions/footfall.fish'), script('fish'))
      writeFileSync(
        join(config, 'config.fish'),
        `set -g fish_greeting; function fish_prompt; echo '> '; end; function fish_right_prompt; end\n`,
      )
    },
  },
]

function isOnPath(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { env })
    return true
  } catch {
    return false
  }
}

/**
 * What is typed before Tab, and what the screen shows then. The screen has no spaces at the end of a line.
 */
const cases: readonly [typed: string, shown: RegExp][] = [
  ['footfall ins', /footfall insights$/],
  ['footfall stats we', /footfall stats web-shop$/],
  ['footfall experiments com', /footfall experiments complete$/],
  ['footfall stats demo --gr', /footfall stats demo --group-by$/],
  ['footfall stats demo --group-by we', /--group-by week$/],
  // Without a suggestion of ours, files.
  ['footfall funnel demo --steps-json st', /--steps-json steps\\ of\\ mine\.json$/],
  // Several fit, so the shell lists them.
  ['footfall portfolios ', /create +delete +get +list +update/],
]

test.for(shells)(
  '$name: Tab completes commands, options, their values and projects',
  async (shell, context) => {
    const [program = ''] = shell.name.split(',')
    if (!isOnPath(program)) return context.skip(`${program} is not on this machine.`)
    const home = newFolder()
    shell.install(home)
    writeFileSync(join(home, 'steps of mine.json'), '[]')
    const terminal = await openProgram(program, shell.args, {
      ...{ columns: 100, folder: home },
      env: { ...env, HOME: home },
    })
    await terminal.waitFor(/^>$/)
    for (const [typed, shown] of cases) {
      terminal.press(`${typed}\t`)
      await terminal.waitFor(shown)
      // Ctrl-U: an empty line again.
      terminal.press('\u0015')
      await terminal.waitFor(/^>$/m)
    }
  },
)
