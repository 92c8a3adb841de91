import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MAX_COMPARED_PATH, parsePathPattern } from '#scanner/fetch/path-pattern'
import { MAX_ROBOTS_BYTES, MAX_STAR_RULES, parseRobots } from '#scanner/fetch/robots'

function allowed(text: string, path: string): boolean {
  return parseRobots(text, 'FootfallScan').isAllowed(path)
}

describe('robots.txt', () => {
  test.each([
    ['an empty file allows', '', '/a', true],
    ['a path of a rule is refused', 'User-agent: *\nDisallow: /private', '/private/x', false],
    ['another path is allowed', 'User-agent: *\nDisallow: /private', '/public', true],
    ['an empty rule allows', 'User-agent: *\nDisallow:', '/a', true],
    [
      'the group of our name counts alone',
      'User-agent: *\nDisallow: /\n\nUser-agent: FootfallScan\nDisallow: /x',
      '/a',
      true,
    ],
    [
      'our name is found in any case and with a version',
      'User-agent: footfallSCAN/2.0\nDisallow: /',
      '/a',
      false,
    ],
    ['groups of another robot do not count', 'User-agent: other\nDisallow: /', '/a', true],
    ['several names share a group', 'User-agent: a\nUser-agent: footfallscan\nDisallow: /', '/a', false],
    [
      'two groups of one name are joined',
      'User-agent: *\nDisallow: /a\n\nUser-agent: *\nDisallow: /b',
      '/b',
      false,
    ],
    ['the longest rule decides', 'User-agent: *\nDisallow: /a\nAllow: /a/b', '/a/b/c', true],
    ['of equal rules the one that allows decides', 'User-agent: *\nDisallow: /a\nAllow: /a', '/a', true],
    ['a star is any text', 'User-agent: *\nDisallow: /*/edit', '/page/7/edit', false],
    ['a dollar is the end', 'User-agent: *\nDisallow: /*.php$', '/a.php?x=1', true],
    ['a path that ends there is refused', 'User-agent: *\nDisallow: /*.php$', '/a.php', false],
    ['the end may repeat what a star has taken', 'User-agent: *\nDisallow: /a*a$', '/aaa', false],
    ['a star does not take what the end needs', 'User-agent: *\nDisallow: /a*ab$', '/ab', true],
    [
      'comments and other line ends do not count',
      'User-agent: * # all\r\nDisallow: /a # private\r',
      '/a',
      false,
    ],
    ['rules before any group are ignored', 'Disallow: /\nUser-agent: *\nAllow: /', '/a', true],
    ['the query is a part of the path', 'User-agent: *\nDisallow: /*?month=', '/calendar?month=2', false],
  ])('%s', (_, text, path, expected) => {
    expect(allowed(text, path)).toBe(expected)
  })

  test('names sitemaps and the delay of our group', () => {
    const robots = parseRobots('Sitemap: https://a.example/s.xml\nUser-agent: *\nCrawl-delay: 2.5', 'x')
    expect([robots.sitemaps, robots.crawlDelay]).toEqual([['https://a.example/s.xml'], 2.5])
    expect(parseRobots('User-agent: *\nCrawl-delay: soon', 'x').crawlDelay).toBe(0)
    expect(parseRobots('Sitemap: /s\n'.repeat(100), 'x').sitemaps).toHaveLength(5)
  })

  test('a file of many stars and rules is read in time', () => {
    const text = `User-agent: *\n${`Disallow: ${'/*a'.repeat(500)}$\n`.repeat(300)}`
    expect(allowed(text, '/a'.repeat(1_000))).toBe(false)
    expect(allowed(text, '/b'.repeat(1_000))).toBe(true)
  })

  // With a step for each pair of blanks this takes longer than a test may take.
  test('a file of the largest size that is one line of blanks is read in time', () => {
    const blanks = ' '.repeat(MAX_ROBOTS_BYTES)
    expect(allowed(`User-agent: *\nDisallow: /y${blanks}x`, '/y')).toBe(true)
    expect(allowed(`User-agent: *\nDisallow: /y${blanks}# x`, '/y')).toBe(false)
    expect(allowed(`User-agent: *\nDisallow${blanks}: /y`, '/y')).toBe(false)
    expect(allowed(`User-agent: *\n${blanks}Disallow: /y`, '/y')).toBe(false)
  })

  const fileOf = (rule: string) =>
    `User-agent: *\n${`Disallow: ${rule}\n`.repeat(5_000)}`.slice(0, MAX_ROBOTS_BYTES).replace(/\n.*$/, '')

  // Comparing each rule with the whole of each path takes longer than a test may take.
  test.each([
    ['rules of many stars', `${'*a'.repeat(45)}b`, 16_000, false],
    ['rules with a long text that nearly fits', `*${'a'.repeat(1_020)}b`, MAX_COMPARED_PATH - 1, true],
    ['rules whose first letter does not fit', `*b${'a'.repeat(1_020)}`, MAX_COMPARED_PATH - 1, true],
    ['rules whose texts fit but for the last one', `*${'ab'.repeat(40)}*c`, 16_000, false],
    ['stars alone', `${'*'.repeat(90)}b`, 16_000, false],
  ])('a file of %s is compared with many paths in time', (_, rule, length, expected) => {
    const { isAllowed } = parseRobots(fileOf(rule), 'FootfallScan')
    const pages = length > MAX_COMPARED_PATH ? 500 : 26
    for (let i = 0; i < pages; i++) expect(isAllowed(`/${'a'.repeat(length)}`)).toBe(expected)
  })

  test('a rule that is not compared whole refuses all that begins as it does', () => {
    const stars = `Disallow: /very/long/*/rule\n`.repeat(MAX_STAR_RULES)
    const beyond = `User-agent: *\n${stars}Disallow: /a/*/b\nAllow: /a/c*\nDisallow: /p\nAllow: /p/x\n`
    const paths = ['/a/1/b', '/a/c1', '/b', '/p/y', '/p/x', '/very/long/1/rule', '/very/long/1']
    expect(paths.map(path => allowed(beyond, path))).toEqual([false, false, true, false, true, false, true])
    expect(allowed(beyond.replace(stars, ''), '/a/c1')).toBe(true)
    const long = 'x'.repeat(MAX_COMPARED_PATH)
    const file = 'User-agent: *\nDisallow: /a/*/b\nAllow: /a/*/c\nDisallow: /p\nAllow: /p/x\nDisallow: /q$'
    const longPaths = [`/a/${long}/c`, `/${long}/b`, `/p/y${long}`, `/p/x/${long}`, `/q${long}`]
    expect(longPaths.map(path => allowed(file, path))).toEqual([false, true, false, true, true])
  })

  test('all rules of a file of the largest size count', () => {
    const rules = Array.from({ length: 30_000 }, (_, i) => `Allow:/${i}`).join('\n')
    expect(allowed(`User-agent: *\n${rules}\nDisallow:/private`, '/private')).toBe(false)
  })
})

describe('a pattern', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '*', '$', '.'), maxLength: 12 })

  test('matches as a regular expression does in which a star is any text', () => {
    fc.assert(
      fc.property(
        text,
        fc.string({ unit: fc.constantFrom('a', 'b', '$', '.'), maxLength: 14 }),
        (pattern, path) => {
          const isWhole = pattern.endsWith('$')
          const body = (isWhole ? pattern.slice(0, -1) : pattern)
            .split('*')
            .map(text => text.replace(/[$.]/g, '\\$&'))
            .join('.*')
          const expected = new RegExp(`^${body}${isWhole ? '$' : ''}`).test(path)
          expect(parsePathPattern(pattern).matches(path)).toBe(expected)
        },
      ),
      { numRuns: 2_000 },
    )
  })
})
