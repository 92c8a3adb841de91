import { describe, expect, test } from 'vitest'
import { MAX_ROBOTS_BYTES, parseRobots } from '#core/scans/fetch/robots'

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
})
