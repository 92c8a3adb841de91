/**
 * What the browser remembers between visits: the last project, analyses of websites, time zones of projects,
 * and nothing about people.
 */

const KEY = 'footfall-project'
const ANALYSES_KEY = 'footfall-analyses'
const ZONES_KEY = 'footfall-zones'

/** Forgets all of it, because another person may sign in here next. */
export function forgetRemembered(): void {
  try {
    for (const key of [KEY, ANALYSES_KEY, ZONES_KEY]) localStorage.removeItem(key)
  } catch {
    // Without storage nothing is remembered.
  }
}

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

/** Projects whose last analysis is remembered. The one that was analysed longest ago goes first. */
const MAX_ANALYSES = 20

/** A list of lists of so many texts; what is something else counts as none. */
function rows<Row extends string[]>(key: string, length: Row['length']): Row[] {
  try {
    const known: unknown = JSON.parse(localStorage.getItem(key) ?? '[]')
    const isRow = (each: unknown): each is Row =>
      Array.isArray(each) && each.length === length && each.every(text => typeof text === 'string')
    return Array.isArray(known) ? known.filter(isRow) : []
  } catch {
    return []
  }
}

const analyses = () => rows<[project: string, id: string]>(ANALYSES_KEY, 2)

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

/** Projects whose time zone is remembered. */
const MAX_ZONES = 100

/** A project that has a time zone. */
export type ProjectZone = [id: string, name: string, zone: string]

/** Keeps the zones of these projects, and those of no others. */
export function rememberZones(zones: readonly ProjectZone[]): void {
  const text = JSON.stringify(zones.slice(-MAX_ZONES))
  try {
    if (localStorage.getItem(ZONES_KEY) !== text) localStorage.setItem(ZONES_KEY, text)
  } catch {
    // Without storage the list of projects says them in a moment.
  }
}

export function lastZones(): ProjectZone[] {
  return rows<ProjectZone>(ZONES_KEY, 3)
}
