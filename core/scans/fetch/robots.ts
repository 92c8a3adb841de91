/** What a robots.txt allows one robot (RFC 9309). */
export type Robots = {
  /** `path`: path and query of a URL. */
  isAllowed(path: string): boolean
  /** Addresses of sitemaps, at most MAX_SITEMAPS. */
  sitemaps: readonly string[]
  /** Seconds between two requests; 0: the file does not say. */
  crawlDelay: number
}

/** Larger files are cut; the RFC demands this much. */
export const MAX_ROBOTS_BYTES = 512_000
/** Rules that are read; a file with more than that is no list for people. */
const MAX_RULES = 5_000
const MAX_SITEMAPS = 5

export const ALLOW_ALL: Robots = { isAllowed: () => true, sitemaps: [], crawlDelay: 0 }
/** What a server error on robots.txt means: the site cannot say now what it allows. */
export const ALLOW_NOTHING: Robots = { isAllowed: () => false, sitemaps: [], crawlDelay: 0 }

type Rule = { isAllow: boolean; pattern: string }
type Group = { agents: string[]; rules: Rule[]; delay: number }

/**
 * Reads a robots.txt for the robot `name`. The groups that name it count, else those of `*`. The longest rule
 * that matches decides, and of two equal ones the one that allows.
 */
export function parseRobots(text: string, name: string): Robots {
  const { groups, sitemaps } = readGroups(text)
  const own = groups.filter(({ agents }) => agents.includes(name.toLowerCase()))
  const chosen = own.length > 0 ? own : groups.filter(({ agents }) => agents.includes('*'))
  const rules = chosen
    .flatMap(group => group.rules)
    .toSorted((a, b) => b.pattern.length - a.pattern.length || Number(b.isAllow) - Number(a.isAllow))
  return {
    isAllowed: path => rules.find(({ pattern }) => matches(pattern, path))?.isAllow ?? true,
    sitemaps,
    crawlDelay: Math.max(0, ...chosen.map(({ delay }) => delay)),
  }
}

function readGroups(text: string): { groups: Group[]; sitemaps: string[] } {
  const groups: Group[] = []
  const sitemaps: string[] = []
  let rules = 0
  let isStarting = false
  for (const line of text.split(/\r\n|\r|\n/)) {
    const { field, value } = readLine(line)
    const group = groups.at(-1)
    if (field === 'sitemap' && sitemaps.length < MAX_SITEMAPS) sitemaps.push(value)
    if (field === 'user-agent') {
      // The version of a robot is no part of its name.
      const agent = value.toLowerCase().split(/[/\s]/, 1)[0] ?? ''
      if (isStarting) group?.agents.push(agent)
      else groups.push({ agents: [agent], rules: [], delay: 0 })
      isStarting = true
      continue
    }
    if (group === undefined) continue
    if (field === 'allow' || field === 'disallow') {
      isStarting = false
      // An empty rule allows everything, as no rule does.
      if (value !== '' && rules++ < MAX_RULES)
        group.rules.push({ isAllow: field === 'allow', pattern: value })
    }
    if (field === 'crawl-delay') {
      isStarting = false
      group.delay = Number(value) || 0
    }
  }
  return { groups, sitemaps }
}

/**
 * The name of a field, in lower case, and its value; both are empty for a line without a field. One
 * regular expression for the whole line would take quadratic time for a line of many blanks.
 */
function readLine(line: string): { field: string; value: string } {
  const [rule = ''] = line.split('#', 1)
  const colon = rule.indexOf(':')
  if (colon < 0) return { field: '', value: '' }
  return { field: rule.slice(0, colon).trim().toLowerCase(), value: rule.slice(colon + 1).trim() }
}

/**
 * `*` is any text, and `$` at the end the end of the path. Takes time in proportion to both lengths at most.
 */
function matches(pattern: string, path: string): boolean {
  const isWhole = pattern.endsWith('$')
  const parts = (isWhole ? pattern.slice(0, -1) : pattern).split('*')
  const [first = '', ...rest] = parts
  if (!path.startsWith(first)) return false
  let at = first.length
  for (const [i, part] of rest.entries()) {
    const isLast = i + 1 === rest.length
    const found = isLast && isWhole ? lastIndex(path, part, at) : path.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return !isWhole || at === path.length
}

function lastIndex(path: string, part: string, from: number): number {
  const at = path.length - part.length
  return at >= from && path.endsWith(part) ? at : -1
}
