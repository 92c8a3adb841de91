import { MAX_COMPARED_PATH, type PathPattern, parsePathPattern } from './path-pattern.ts'

/** What a robots.txt allows one robot (RFC 9309). */
export type Robots = {
  /** `path`: path and query of a URL. */
  isAllowed(path: string): boolean
  /** Addresses of sitemaps, at most MAX_SITEMAPS. */
  sitemaps: readonly string[]
  /** Seconds between two requests; 0: the file does not say. */
  crawlDelay: number
}

/**
 * Larger files are cut. A limit may be no smaller (RFC 9309, 2.5: 500 KiB), so the file may have 57,000
 * rules.
 */
export const MAX_ROBOTS_BYTES = 512_000
/**
 * Rules with a star that are compared whole. Each reads the whole path, so a page costs a million steps at
 * most, some milliseconds. Rules without a star cost no more than their own length.
 */
export const MAX_STAR_RULES = 500
const MAX_SITEMAPS = 5

export const ALLOW_ALL: Robots = { isAllowed: () => true, sitemaps: [], crawlDelay: 0 }
/** What a server error on robots.txt means: the site cannot say now what it allows. */
export const ALLOW_NOTHING: Robots = { isAllowed: () => false, sitemaps: [], crawlDelay: 0 }

type Rule = { isAllow: boolean; text: string }
type Group = { agents: string[]; rules: Rule[]; delay: number }

/**
 * Reads a robots.txt for the robot `name`. The groups that name it count, else those of `*`. The longest rule
 * that matches decides, and of two equal ones the one that allows. A rule with a star that is beyond
 * MAX_STAR_RULES, or meets a path beyond MAX_COMPARED_PATH, is not compared whole: then it refuses all
 * that begins as it does, and allows nothing, so the file never allows more than its author wrote.
 */
export function parseRobots(text: string, name: string): Robots {
  const { groups, sitemaps } = readGroups(text)
  const own = groups.filter(({ agents }) => agents.includes(name.toLowerCase()))
  const chosen = own.length > 0 ? own : groups.filter(({ agents }) => agents.includes('*'))
  const rules = openRules(chosen.flatMap(group => group.rules))
  return {
    isAllowed: path => rules.find(rule => decides(rule, path))?.isAllow ?? true,
    sitemaps,
    crawlDelay: Math.max(0, ...chosen.map(({ delay }) => delay)),
  }
}

type OpenRule = { isAllow: boolean; pattern: PathPattern; isWhole: boolean }

/** The rules in the order in which they decide. */
function openRules(rules: readonly Rule[]): OpenRule[] {
  let stars = 0
  return rules
    .toSorted((a, b) => b.text.length - a.text.length || Number(b.isAllow) - Number(a.isAllow))
    .map(({ isAllow, text }) => {
      const pattern = parsePathPattern(text)
      return { isAllow, pattern, isWhole: !pattern.hasStar || ++stars <= MAX_STAR_RULES }
    })
}

function decides({ isAllow, pattern, isWhole }: OpenRule, path: string): boolean {
  if (isWhole && (!pattern.hasStar || path.length <= MAX_COMPARED_PATH)) return pattern.matches(path)
  return !isAllow && path.startsWith(pattern.prefix)
}

function readGroups(text: string): { groups: Group[]; sitemaps: string[] } {
  const groups: Group[] = []
  const sitemaps: string[] = []
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
      if (value !== '') group.rules.push({ isAllow: field === 'allow', text: value })
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
