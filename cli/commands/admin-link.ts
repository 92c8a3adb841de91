import { request } from 'node:http'
import { join, resolve } from 'node:path'
import type { RunCommand } from '#cli/command'
import { CommandError } from '#cli/errors'
import { dataFolder } from '#cli/http/base-url'
import { webPage } from '#cli/session/sign-in'

/** Longest answer of the service, characters: a link, or one sentence. */
const MAX_ANSWER_CHARS = 10_000

/** On the machine of the service alone: it asks over the socket in the data folder. */
export const adminLink: RunCommand = {
  name: 'admin link',
  group: 'Account',
  effect: 'local',
  args: [],
  flags: [
    {
      flags: '--email <address>',
      help: 'sign in as the account of this address, made where there is none (default: the owner)',
    },
    { flags: '--data <folder>', help: 'data folder of the service (default: DATA_DIR, else .footfall)' },
  ],
  summary: 'A new link that signs the owner or somebody else in, on the machine of the service',
  example: 'admin link',
  async run({ options }, { io, print, say }) {
    const folder = resolve(String(options.data ?? dataFolder(io.env)))
    const email = options.email === undefined ? null : String(options.email)
    const text = await ask(folder, email)
    const { link } = JSON.parse(text) as { link: string }
    print([{ kind: 'facts', facts: [['Sign in at', webPage(link, 'sign-in'), 'address']] }], text)
    say(`The link works once, for an hour. Who has it can sign in as ${email ?? 'the owner'}.`)
  },
}

async function ask(folder: string, email: string | null): Promise<string> {
  const query = email === null ? '' : `?email=${encodeURIComponent(email)}`
  const path = join(folder, 'admin.sock')
  const { status, text } = await new Promise<{ status: number; text: string }>((done, fail) => {
    request({ socketPath: path, path: `/link${query}`, method: 'POST' }, response => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', chunk => {
        text = (text + chunk).slice(0, MAX_ANSWER_CHARS)
      })
      response.on('end', () => done({ status: response.statusCode ?? 0, text }))
      response.on('error', fail)
    })
      .on('error', fail)
      .end()
  }).catch(error => {
    throw problemOf(error, folder)
  })
  if (status === 200) return text
  if (status === 404 && email !== null)
    throw new CommandError({
      error: 'INVALID_ARGUMENTS',
      message: 'The service takes no such address.',
      suggested_action:
        'Give --email an e-mail address, such as ada@example.com, and use a service of this version.',
    })
  throw new CommandError({
    error: 'UNAVAILABLE',
    message: 'The service could not make a link.',
    suggested_action: 'Try again in a few seconds.',
    retryable: true,
  })
}

function problemOf({ code, message }: NodeJS.ErrnoException, folder: string): CommandError {
  if (code === 'EACCES' || code === 'EPERM') {
    return new CommandError({
      error: 'FORBIDDEN',
      message: `Only the user of the service and root may ask for a link in ${folder}.`,
      suggested_action: 'Run the command as that user, or with sudo.',
    })
  }
  const isAbsent = code === 'ENOENT' || code === 'ECONNREFUSED' || code === 'ENOTDIR'
  return new CommandError({
    error: 'NO_SERVICE',
    message: isAbsent
      ? `No service runs on the data folder ${folder}.`
      : `The service of ${folder} did not answer (${code ?? message}).`,
    suggested_action: 'Start the service, or name its folder: footfall admin link --data FOLDER',
    retryable: true,
  })
}
