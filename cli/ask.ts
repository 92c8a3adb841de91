import { createInterface } from 'node:readline/promises'

/** Asks a person on the terminal. The end of the input is a no; Ctrl-C ends the process as everywhere. */
export async function askYes(question: string): Promise<boolean> {
  const line = createInterface({ input: process.stdin, output: process.stdout })
  const closed = new Promise<string>(resolve => line.once('close', () => resolve('')))
  line.on('SIGINT', () => process.kill(process.pid, 'SIGINT'))
  const answer = await Promise.race([line.question(`${question} [y/N] `), closed])
  line.close()
  return /^y(es)?$/i.test(answer.trim())
}
