import { createInterface } from 'node:readline/promises'
import { cleanText } from '#core/text/clean-text'
import type { Io } from './io.ts'

/** Longest question, code points: a name of a file in it may be longer. */
const MAX_CHARS = 400

/** Asks a person on the terminal. The end of the input is a no; Ctrl-C ends the process as everywhere. */
export async function askYes(io: Io, question: string): Promise<boolean> {
  return /^y(es)?$/i.test(await askText(io, `${question} [y/N]`))
}

/** Asks a person for a line. The end of the input is an empty one; Ctrl-C ends the process as everywhere. */
export async function askText({ stdin, stdout, interrupt }: Io, question: string): Promise<string> {
  const line = createInterface({ input: stdin, output: stdout })
  const closed = new Promise<string>(resolve => line.once('close', () => resolve('')))
  line.on('SIGINT', interrupt)
  const answer = await Promise.race([line.question(`${cleanText(question, MAX_CHARS)} `), closed])
  line.close()
  return answer.trim()
}
