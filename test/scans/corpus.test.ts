import { describe, expect, test } from 'vitest'
import { advise } from '#scanner/advise/advise'
import { problemOfCall } from '#scanner/advise/check-call'
import { readSite } from '#scanner/read/read-site'
import { RECOMMENDED_EVENTS, type ScanResult, scanResult } from '#schemas/website-scans'
import { CORPUS } from './corpus/corpus.ts'
import type { CorpusSite } from './corpus/corpus-site.ts'
import { fetchedPages } from './corpus/fetched-pages.ts'

const results = CORPUS.map(site => {
  const findings = readSite(fetchedPages(site))
  return {
    site,
    findings,
    full: advise(findings, { mode: 'full' }),
    preview: advise(findings, { mode: 'preview' }),
  }
})

/** Events that the tracker sends by itself, under any name. */
const AUTOMATIC = /page_?view|^\$|outgoing|referr|scroll|session|utm|device|country|browser|_viewed$|_opened$/

test('the corpus has at least 40 sites, all classes and eight languages', () => {
  expect(CORPUS.length).toBeGreaterThanOrEqual(40)
  expect(new Set(CORPUS.map(({ name }) => name)).size).toBe(CORPUS.length)
  const classes = CORPUS.flatMap(({ expect: { class: own } }) => own)
  expect(new Set(classes).size).toBe(10)
  expect(new Set(CORPUS.flatMap(({ expect: own }) => own.language ?? [])).size).toBeGreaterThanOrEqual(8)
})

describe.each(results)('$site.name', ({ site, findings, full, preview }) => {
  test('is understood as its author means it', () => {
    const { class: site_class, providers = [], language, wall, isShell } = site.expect
    expect([site_class].flat()).toContain(findings.classification.site_class)
    expect(findings.providers.map(({ name }) => name)).toEqual(expect.arrayContaining([...providers]))
    if (language !== undefined) expect(findings.languages[0]).toBe(language)
    if (wall !== undefined) expect(findings.wall).toBe(wall)
    if (isShell !== undefined) expect(findings.is_shell).toBe(isShell)
    const { site_class: found, confidence, evidence } = findings.classification
    expect(confidence > 0 && evidence.length > 0).toBe(found !== 'unknown')
  })

  test('gets the events that matter, in the sizes of the contract of both modes', () => {
    const { events = [], first, absent = [] } = site.expect
    const names = namesOf(full)
    expect(names).toEqual(expect.arrayContaining([...events]))
    if (first !== undefined) expect(names[0]).toBe(first)
    for (const event of [...absent]) expect(names).not.toContain(event)
    for (const [mode, result] of Object.entries({ full, preview })) {
      const { min, max } = RECOMMENDED_EVENTS[mode as 'full']
      expect(result.minimum_viable_instrumentation.length).toBeGreaterThanOrEqual(min)
      expect(result.minimum_viable_instrumentation.length).toBeLessThanOrEqual(max)
      expect(() => scanResult.parse(result)).not.toThrow()
    }
    expect(names.slice(0, namesOf(preview).length)).toEqual(namesOf(preview))
  })

  test('gets no event that the tracker sends by itself, and each event once', () => {
    const names = namesOf(full)
    expect(new Set(names).size).toBe(names.length)
    expect(names.filter(name => AUTOMATIC.test(name) && name !== 'directions_opened')).toEqual([])
    expect(full.minimum_viable_instrumentation.map(({ priority }) => priority)).toEqual(
      names.map((_, i) => i + 1),
    )
  })

  test('gets calls, funnels and tests that the service takes as they are', () => {
    const project = 'demo'
    const calls = [
      ...full.minimum_viable_instrumentation.flatMap(({ example_calls }) => example_calls),
      ...full.goal_driven_funnels.map(({ steps }) => ({
        method: 'POST' as const,
        path: '/funnel',
        body: { project, steps },
      })),
      ...full.suggested_ab_tests.map(({ name, variants, success_event }) => ({
        method: 'POST' as const,
        path: '/experiments',
        body: { project, name, variants, goal_event: success_event },
      })),
    ]
    expect(calls.map(call => problemOfCall(call)).filter(problem => problem !== null)).toEqual([])
    expect(full.goal_driven_funnels.length).toBeGreaterThan(0)
    const known = new Set(['page_view', ...namesOf(full)])
    expect(
      full.goal_driven_funnels.flatMap(({ steps }) => steps).filter(({ event }) => !known.has(event)),
    ).toEqual([])
  })
})

describe.each(results)('the text for $site.name', ({ full }) => {
  test('is whole sentences without an open place, and with the right articles', () => {
    for (const text of textsOf(full)) {
      const own = text.replace(/"[^"]*"/g, '""')
      expect(own, text).toMatch(/^[A-Z"\w.-]/)
      expect(own, text).toMatch(/[.?}\w]$/)
      expect(own, text).not.toMatch(
        /undefined|null[^}]|\{(?!id\})\w+\}| {2}|\ba [aeio]|\ban [^aeiouAEIOh"]|\.\.|\ba text in\b/,
      )
    }
  })

  test('has each funnel once, under a name of its own, and each leads to a goal', () => {
    const names = full.goal_driven_funnels.map(({ name }) => name)
    const steps = full.goal_driven_funnels.map(each => JSON.stringify(each.steps))
    expect([new Set(names).size, new Set(steps).size]).toEqual([names.length, names.length])
    expect(names.join()).not.toMatch(/to (form_problem_shown|payment_failed|page_missing_shown|login_failed)/)
  })
})

test('two sites never get the same text', () => {
  const texts = results.flatMap(({ full }) => [...new Set(textsOf(full))].map(text => text))
  const repeated = [...Map.groupBy(texts, text => text)]
    .filter(([, same]) => same.length > 1)
    .map(([text]) => text)
  expect(repeated).toEqual([])
})

test('the same pages give the same result', () => {
  for (const { site, full } of results.filter(({ site: each }) => !LARGE.has(each.name))) {
    expect(advise(readSite(fetchedPages(site)), { mode: 'full' })).toEqual(full)
  }
})

test('a page that scripts fill is understood once they have run', () => {
  const site = CORPUS.find(({ name }) => name === 'tidyboard') as CorpusSite
  const rendered = readSite(fetchedPages(site, { isRendered: true }))
  expect(rendered).toMatchObject({ is_shell: false, classification: { site_class: 'saas' }, notes: [] })
  expect(namesOf(advise(rendered, { mode: 'full' }))[0]).toBe('signup_started')
  expect(readSite(fetchedPages(site)).notes.join()).toMatch(/scripts that have not run/)
})

const LARGE = new Set(['price-list', 'matryoshka', 'attribute-flood'])

function namesOf({ minimum_viable_instrumentation }: ScanResult): string[] {
  return minimum_viable_instrumentation.map(({ event }) => event)
}

/** The sentences of a result that are about its site. */
function textsOf(result: ScanResult): string[] {
  return [
    result.framing,
    ...result.current_blindspots,
    ...result.minimum_viable_instrumentation.flatMap(each => [
      each.why_this_matters_now,
      each.current_blindspot,
      each.agent_capability_after_install,
      ...each.unlocks_questions,
    ]),
    ...result.goal_driven_funnels.map(({ decision }) => decision),
    ...result.suggested_ab_tests.map(({ hypothesis }) => hypothesis),
    ...result.business_events_later.flatMap(each => [each.why, each.where_to_instrument]),
    ...result.advanced_tracking_later.flatMap(each => [each.why, each.implementation_hint]),
    ...result.after_install_agent_behavior.slice(0, 4),
  ]
}
