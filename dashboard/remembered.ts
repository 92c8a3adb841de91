/**
 * What the browser remembers between visits: the last project, analyses of websites, and nothing about
 * people.
 */

const KEY = 'footfall-project'

export function rememberProject(name: string): void {
  try {
    localStorage.setItem(KEY, name)
  } catch {
    // Without storage there is no last project.
  }
}

export function lastProject(): string | null {
  try {
    return localStorage.getItem(KEY)
  } catch {
    return null
  }
}

const ANALYSES_KEY = 'footfall-analyses'
/** Projects whose last analysis is remembered. The one that was analysed longest ago goes first. */
const MAX_ANALYSES = 20

function analyses(): [project: string, id: string][] {
  try {
    const known: unknown = JSON.parse(localStorage.getItem(ANALYSES_KEY) ?? '[]')
    return Array.isArray(known) ? known.filter(each => Array.isArray(each) && each.length === 2) : []
  } catch {
    return []
  }
}

/** Keeps the id of the last analysis of a project: the service finds one by its id alone. */
export function rememberAnalysis(project: string, id: string): void {
  const others = analyses().filter(([name]) => name !== project)
  try {
    localStorage.setItem(ANALYSES_KEY, JSON.stringify([...others, [project, id]].slice(-MAX_ANALYSES)))
  } catch {
    // Without storage the address alone has it.
  }
}

export function lastAnalysis(project: string): string | null {
  return analyses().find(([name]) => name === project)?.[1] ?? null
}
