import { readdir, readFile } from 'node:fs/promises'

const UNITS = 1_024

/**
 * Memory of all processes of a process group, bytes, without what they share with files. 0 where the system
 * does not say: the browser is for Linux.
 */
export async function groupMemory(group: number | undefined): Promise<number> {
  if (group === undefined) return 0
  const pids = (await readdir('/proc').catch(() => [])).filter(name => /^\d+$/.test(name))
  const sizes = await Promise.all(pids.map(pid => memoryIn(group, pid)))
  return sizes.reduce((sum, size) => sum + size, 0)
}

async function memoryIn(group: number, pid: string): Promise<number> {
  try {
    // The name of a process may have spaces and brackets.
    const [, , processGroup] = (await readFile(`/proc/${pid}/stat`, 'utf8')).replace(/^.*\) /s, '').split(' ')
    if (Number(processGroup) !== group) return 0
    const status = await readFile(`/proc/${pid}/status`, 'utf8')
    const [anonymous, shared] = ['RssAnon', 'RssShmem'].map(name =>
      Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0),
    )
    return ((anonymous ?? 0) + (shared ?? 0)) * UNITS
  } catch {
    // It has ended.
    return 0
  }
}
