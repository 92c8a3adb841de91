import { runProcess } from './built-cli.ts'

/** The words that the command gets when a shell runs the lines as they stand, for each line. */
export async function shellWords(lines: readonly string[]): Promise<string[][]> {
  const script = `footfall() { printf '%s\\0' "$@"; echo; }\n${lines.join('\n')}\n`
  const { stdout, stderr } = await runProcess('bash', ['-c', script], { PATH: process.env.PATH as string })
  const words = stdout
    .trimEnd()
    .split('\n')
    .map(line => line.split('\0').slice(0, -1))
  if (stderr !== '' || words.length !== lines.length)
    throw new Error(`A line is no command: ${stderr}${stdout}`)
  return words
}
