import { expect, test } from 'vitest'
import { ACTION_EVENTS } from '#scanner/advise/action-events'
import { advise } from '#scanner/advise/advise'
import { fill } from '#scanner/advise/fill'
import { OUTCOME_EVENTS } from '#scanner/advise/outcome-events'
import { projectNameOf } from '#scanner/advise/project-name'
import { bareWords, pageWords } from '#scanner/advise/words-of-page'
import { readSite } from '#scanner/read/read-site'
import { CORPUS } from '#test/scans/corpus/corpus'
import { fetchedPages } from '#test/scans/corpus/fetched-pages'

function findingsOf(name: string) {
  const site = CORPUS.find(each => each.name === name)
  if (site === undefined) throw new Error(`The corpus has no site ${name}.`)
  return readSite(fetchedPages(site))
}

test('the focus of the owner comes first, in whatever language', () => {
  const findings = findingsOf('ledgerly')
  const first = (focus?: string) =>
    advise(findings, { mode: 'preview', focus }).minimum_viable_instrumentation[0]?.event
  expect(first()).toBe('trial_started')
  expect(first('book a demo')).toBe('demo_watched')
  expect(first('Demo buchen')).toBe('demo_watched')
  expect(first('contact')).toBe('contact_started')
})

test('a question is asked where two goals are near, and not once it is answered', () => {
  const findings = findingsOf('toolshed-rent')
  const { question } = advise(findings, { mode: 'full' }).understanding
  expect(question?.answers.length).toBeGreaterThan(1)
  expect(question?.question).toContain('toolshed-rent.test')
  for (const answer of question?.answers ?? []) {
    const answered = advise(findings, { mode: 'full', focus: answer })
    expect(answered.understanding.question, answer).toBeNull()
  }
})

test('a focus that means nothing, or that the site does not have, is said so', () => {
  const notes = (focus: string) =>
    advise(findingsOf('hexfall'), { mode: 'full', focus }).understanding.notes.join()
  expect(notes('quantum chromodynamics')).toMatch(/names no action/)
  expect(notes('book a table')).toMatch(/No element of hexfall.test/)
  expect(notes('play')).toBe('')
})

test('the calls are about the project, or about a name that it may have', () => {
  const call = (project?: string) =>
    advise(findingsOf('hexfall'), { mode: 'full', project }).minimum_viable_instrumentation[0]
      ?.example_calls[0]?.body?.project
  expect(call('games')).toBe('games')
  expect(call()).toBe('hexfall.test')
  expect(projectNameOf('www.bücher.example')).toBe('b-cher.example')
  expect(projectNameOf('')).toBe('my-site')
})

test('what the tracker counts by itself is named as not needed, with the attribute that does it', () => {
  const { not_needed_yet } = advise(findingsOf('gatehouse-manual'), { mode: 'full' })
  const file = not_needed_yet.find(({ event }) => event === 'file_downloaded')
  expect(file?.reason).toContain('data-track-downloads="true"')
  expect(advise(findingsOf('ledgerly'), { mode: 'full' }).not_needed_yet.map(({ event }) => event)).toContain(
    'pricing_viewed',
  )
})

test('the framing says what the site is and for whom, and each claim has its evidence', () => {
  const { framing, understanding } = advise(findingsOf('ledgerly'), { mode: 'preview' })
  expect(framing).toContain('"Ledgerly"')
  expect(framing).toContain('"freelance designers"')
  expect(understanding.claims.every(({ evidence }) => evidence.length > 0)).toBe(true)
  expect(understanding.claims.map(({ claim }) => claim).join()).toMatch(/"Solo" for €9/)
})

test('a site that could not be read says so, and its plan stays within its sizes', () => {
  expect(advise(findingsOf('guarded'), { mode: 'full' }).framing).toMatch(/answers robots with a check/)
  expect(advise(findingsOf('intranet-only'), { mode: 'full' }).framing).toMatch(/nothing but a log-in/)
  expect(
    advise(readSite([]), { mode: 'preview' }).minimum_viable_instrumentation.length,
  ).toBeGreaterThanOrEqual(3)
})

test('words of a page cannot end their quotation', () => {
  expect(pageWords('a " b ` c\n"d" {x} <b>')).toBe(`"a ' b ' c 'd'  x   b"`)
  expect(bareWords('x'.repeat(500)).length).toBeLessThanOrEqual(60)
})

test('a template with a place that nobody fills throws', () => {
  expect(() => fill('{nothing}', {})).toThrow(/no place/)
})

test('every template is filled, and names its site in each of its texts', () => {
  const places = {
    host: 'h.test',
    page: '"h.test/"',
    element: 'the link "x" on "/"',
    subject: '"X"',
    begin: 'the link "y"',
    heading: '"X"',
    headingPage: '"h.test/"',
    reader: 'reader',
    text: 'page',
    thread: 'topic',
  }
  const templates = [...ACTION_EVENTS, ...OUTCOME_EVENTS]
  // One event may be sent by an element, or by the code of the site where no element was found.
  for (const same of [ACTION_EVENTS, OUTCOME_EVENTS]) {
    expect(new Set(same.map(({ event }) => event)).size).toBe(same.length)
  }
  for (const { event, why, blindspot, capability, where } of templates) {
    expect(event).toMatch(/^[a-z][a-z0-9_]{2,63}$/)
    for (const text of [why, blindspot, capability, ...(where === undefined ? [] : [where.text])]) {
      // Two sites may have the same words on an element.
      expect(fill(text, places), text).toContain('h.test')
    }
  }
})

test('one act counts once: a sign-up by its links, an enquiry by its form, and a plan by its own link', () => {
  const { minimum_viable_instrumentation: events } = advise(findingsOf('ledgerly'), { mode: 'full' })
  const placeOf = (name: string) => events.find(({ event }) => event === name)?.placement
  expect(placeOf('trial_started')).toMatchObject({
    words: 'Start free trial',
    also: [
      {
        page: '/',
        selector: '#hero-trial',
        code: 'data-aa-event="trial_started" data-aa-event-place="main"',
      },
    ],
  })
  expect(placeOf('plan_chosen')).toMatchObject({
    page: '/pricing',
    code: 'data-aa-event="plan_chosen" data-aa-event-place="main" data-aa-event-plan="Studio"',
    also: [{ code: 'data-aa-event="plan_chosen" data-aa-event-place="main" data-aa-event-plan="Solo"' }],
  })
  const page = (path: string, body: string) => {
    const url = `https://acts.test${path}`
    const html = `<title>Acts</title><main>${body}</main>`
    return { url, finalUrl: url, status: 200, contentType: 'text/html', rendered: false, html }
  }
  const enquiry = readSite([
    page('/', '<h1>Boats</h1><a href="/contact">Contact us</a>'),
    page(
      '/contact',
      '<form><input type="email" name="email"><textarea name="text"></textarea><button>Send message</button></form>',
    ),
  ])
  const [contact] = advise(enquiry, { mode: 'full' }).minimum_viable_instrumentation.filter(
    ({ event }) => event === 'contact_started',
  )
  expect(contact?.placement).toMatchObject({ page: '/contact', also: [] })
})

test('an event of a server asks how its users came, because it has no page and no campaign of its own', () => {
  const events = advise(findingsOf('ledgerly'), { mode: 'full' }).minimum_viable_instrumentation
  const ofServer = events.find(({ event }) => event === 'signup_completed')
  expect(ofServer?.placement.page).toBeNull()
  expect(ofServer?.example_calls.map(({ path }) => path)).toEqual(['/query', '/funnel', '/funnel', '/paths'])
})

test('a link to the cart and one to a page of directions are page views, and no events', () => {
  const shop = advise(findingsOf('leafandkettle'), { mode: 'full' })
  const checkout = shop.minimum_viable_instrumentation.find(({ event }) => event === 'checkout_started')
  expect(checkout?.placement).toMatchObject({ method: 'call', selector: null })
  expect(shop.not_needed_yet.map(({ event }) => event)).toContain('cart_viewed')
  const practice = advise(findingsOf('zahnarzt-am-markt'), { mode: 'full' })
  expect(practice.not_needed_yet.map(({ event }) => event)).toContain('directions_viewed')
})

test('an outcome names the element that it follows, and the address where the form of the site ends', () => {
  const events = advise(findingsOf('ledgerly'), { mode: 'full' }).minimum_viable_instrumentation
  const signup = events.find(({ event }) => event === 'signup_completed')
  expect(signup?.why_this_matters_now).toContain('the link "Start free trial" in the header of "/"')
  expect(signup?.implementation_hint).toContain(
    'The form with the button "Create account" on "/signup" sends its data to "/api/signup"',
  )
})

test('an outcome at another service comes from a webhook of that service', () => {
  const events = advise(findingsOf('bistrot-des-halles'), { mode: 'full' }).minimum_viable_instrumentation
  const booking = events.find(({ event }) => event === 'booking_confirmed')
  expect(booking?.implementation_hint).toMatch(/webhook of "www\.thefork\.com".* leave this event out/)
})

test('mail that only the inbox sees is no event of a server', () => {
  const events = advise(findingsOf('idaholm-photo'), { mode: 'full' }).minimum_viable_instrumentation
  expect(events.map(({ event }) => event)).not.toContain('enquiry_received')
})

test('the framing says what is in the navigation, and what visitors can do with which element', () => {
  const { framing } = advise(findingsOf('zahnarzt-am-markt'), { mode: 'preview' })
  expect(framing).toContain(
    '"Zahnarztpraxis am Markt" (zahnarzt-am-markt.test) is the site of a local business.',
  )
  expect(framing).toContain('Its navigation has "Behandlungen", "Unser Team" and "Anfahrt".')
  expect(framing).toContain('Visitors can book ("Termin vereinbaren") and call ("03643 000").')
})

test('what stands after "available for" is not whom a site is for', () => {
  expect(advise(findingsOf('idaholm-photo'), { mode: 'preview' }).framing).not.toContain('It is for')
})

test('a test of words in another language says what its texts say, and gives none in English', () => {
  const [words] = advise(findingsOf('zahnarzt-am-markt'), { mode: 'full' }).suggested_ab_tests
  expect(words?.implementation_hint).toContain('with texts that you write in German')
  expect(words?.implementation_hint).not.toMatch(/data-aa-variant-\w+="/)
  const [english] = advise(findingsOf('ledgerly'), { mode: 'full' }).suggested_ab_tests
  expect(english?.implementation_hint).toContain('data-aa-variant-try="Try Ledgerly"')
})

test('a funnel about one of many products begins on the pages of all of them', () => {
  const [funnel] = advise(findingsOf('leafandkettle'), { mode: 'full' }).goal_driven_funnels
  expect(funnel?.name).toBe('the pages below "/products/" by product_added_to_cart to order_completed')
  expect(funnel?.steps[0]?.filters).toEqual([{ property: 'path', op: 'contains', value: '/products/' }])
})
