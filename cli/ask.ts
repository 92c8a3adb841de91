import { createInterface } from 'node:readline/promises'
import { cleanText } from '#core/text/clean-text'
import type { Io } from './io.ts'

/** Longest question, code points: a name of a file in it may be longer. */
const MAX_CHARS = 400

/** Asks a person on the terminal. The end of the input is a no; Ctrl-C ends the process as everywhere. */
export async function askYes({ stdin, stdout, interrupt }: Io, question: string): Promise<boolean> {
  const line = createInterface({ input: stdin, output: stdout })
  const closed = new Promise<string>(resolve => line.once('close', () => resolve('')))
  line.on('SIGINT', interrupt)
  const answer = await Promise.race([line.question(`${cleanText(question, MAX_CHARS)} [y/N] `), closed])
  line.close()
  return /^y(es)?$/i.test(answer.trim())
}
