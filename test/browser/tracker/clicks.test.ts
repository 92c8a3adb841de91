import { expect, test } from 'vitest'
import { eventually } from '#test/support/eventually'
import { useTestSite } from './test-site.ts'

const site = useTestSite()
const ALL = 'data-track-outgoing="true" data-track-clicks="true" data-track-downloads="true"'

/** Opens a page whose links do not navigate, clicks each selector, and returns events without page views. */
async function clickAll(body: string, selectors: string[], attributes = ALL) {
  site.server.setPage(`<!doctype html><title>Shoes</title>${site.server.snippet(attributes)}${body}
    <script>addEventListener('click', event => event.preventDefault())</script>`)
  const page = await site.tab()
  await page.goto(site.server.page())
  for (const selector of selectors) await page.click(selector)
  await page.evaluate(() => window.aa!.track('end'))
  await site.leave(page)
  await eventually(() => expect(site.server.propertiesOf('end')).toHaveLength(1))
  expect(page.errors).toEqual([])
  return site.server.events().filter(({ event }) => !/^(page_view|end)$/.test(event))
}

test('a click inside an element with data-aa-event sends this event with its attributes, and no other event', async () => {
  const events = await clickAll(
    `<a href="https://other.test/a.pdf" data-aa-event="outer"><b id="out">Out</b>
      <span data-aa-event="signup" data-aa-event-plan="pro" data-aa-event-user-email="ada@example.org"><i id="in">In</i></span></a>`,
    ['#in', '#out'],
  )
  expect(events.map(({ event, properties }) => [event, properties.plan])).toEqual([
    ['signup', 'pro'],
    ['outer', undefined],
  ])
  expect(JSON.stringify(events)).not.toContain('ada@')
})

test('a submit button with data-aa-event sends it when the browser sends the form, not when a field is not valid', async () => {
  const form = (id: string, value: string, button: string, attributes = '') =>
    `<form id="${id}" ${attributes}><input type="email" name="email" required value="${value}"><button ${button} data-aa-event="${id}">Send</button></form>`
  const events = await clickAll(
    [
      form('empty', '', ''),
      form('wrong', 'ada', 'type="submit"'),
      form('sent', 'a@b.test', ''),
      form('unchecked', 'ada', 'formnovalidate'),
      form('of_script', 'ada', '', 'novalidate'),
      form('no_submit', 'ada', 'type="button"'),
      `<button form="empty" data-aa-event="outside">Send</button> <button data-aa-event="alone">Go</button>`,
    ].join(''),
    [
      '#empty button',
      '#wrong button',
      '#sent button',
      '#unchecked button',
      '#of_script button',
      '#no_submit button',
      '[data-aa-event=outside]',
      '[data-aa-event=alone]',
    ],
  )
  expect(events.map(({ event }) => event)).toEqual(['sent', 'unchecked', 'of_script', 'no_submit', 'alone'])
})

test('clicks on links and buttons send where they lead, and never their texts', async () => {
  const events = await clickAll(
    `<a id="go" class="big red" href="https://other.test/x/y?q=1#z">Secret text</a>
     <button id="buy" class="${'c'.repeat(300)}" type="button">Secret text</button>
     <a id="mail" href="mailto:ada@example.org">Mail</a> <a id="call" href="tel:123">Call</a>
     <a id="script" href="javascript:void 0">Script</a> <a id="own" href="/own">Own page</a> <a id="none">No link</a> <p id="text">Text</p>`,
    ['#go', '#buy', '#mail', '#call', '#script', '#own', '#none', '#text'],
  )
  expect(
    events.map(({ event, properties: p }) => [event, p.tag, p.id, p.classes, p.href, p.is_external, p.type]),
  ).toEqual([
    ['$click', 'a', 'go', 'big red', 'https://other.test/x/y', true, undefined],
    ['outgoing_link', undefined, undefined, undefined, 'https://other.test/x/y', undefined, undefined],
    ['$click', 'button', 'buy', 'c'.repeat(200), undefined, undefined, 'button'],
    ['$click', 'a', 'own', '', site.server.page('/own'), false, undefined],
    ['$click', 'a', 'none', '', '', false, undefined],
  ])
  expect(events[1]!.properties.hostname).toBe('other.test')
  expect(JSON.stringify(events)).not.toMatch(/Secret|ada@|q=1/)
})

test('links to files are downloads, whatever the case of the extension', async () => {
  const events = await clickAll(
    `<a id="a" href="/files/Price%20List.PDF?v=2">A</a> <a id="b" href="/files/setup.dmg">B</a>
     <a id="c" href="/page.html">C</a> <a id="d" href="/x?file=a.pdf">D</a> <a id="e" href="https://other.test/a.7z">E</a>`,
    ['#a', '#b', '#c', '#d', '#e'],
    'data-track-downloads="true"',
  )
  expect(events.map(({ event, properties: p }) => [event, p.filename, p.extension, p.href])).toEqual([
    ['$download', 'Price%20List.PDF', 'pdf', site.server.page('/files/Price%20List.PDF')],
    ['$download', 'setup.dmg', 'dmg', site.server.page('/files/setup.dmg')],
    ['$download', 'a.7z', '7z', 'https://other.test/a.7z'],
  ])
})

test('each extension of the list is a download, and others are not', async () => {
  const extensions =
    'pdf xls xlsx doc docx txt rtf csv exe key pps ppt pptx 7z pkg rar gz zip avi mov mp4 mpeg wmv midi mp3 wav wma dmg iso msi'
  const others = ['html', 'js', 'xlsm', 'mp5', 'pdfx', 'json']
  site.server.setPage(`<!doctype html><title>Shoes</title>${site.server.snippet('data-track-downloads="true"')}
    ${[...extensions.split(' '), ...others].map(extension => `<a href="/file.${extension}">File</a>`).join('')}<a href="/pdf">No file</a>
    <script>addEventListener('click', event => event.preventDefault())</script>`)
  const page = await site.tab()
  await page.goto(site.server.page())
  await page.evaluate(() => {
    for (const link of document.links) link.click()
  })
  await site.leave(page)
  await eventually(() => expect(site.server.propertiesOf('$download').length).toBeGreaterThan(0))
  expect(
    site.server
      .propertiesOf('$download')
      .map(({ extension }) => extension)
      .join(' '),
  ).toBe(extensions)
})

test('a link that the middle button opens is an outgoing link, also where the page stops the event', async () => {
  site.server.setPage(`<!doctype html><title>Shoes</title>${site.server.snippet(ALL)}
    <a id="go" href="${site.server.page('/next', 'other.test')}">Go</a>
    <script>document.getElementById('go').addEventListener('auxclick', event => event.stopPropagation())</script>`)
  const page = await site.tab()
  await page.goto(site.server.page())
  await page.click('#go', { button: 'middle' })
  await page.click('#go', { button: 'right' })
  await site.leave(page)
  await eventually(() => expect(site.server.propertiesOf('outgoing_link')).toHaveLength(1))
  expect(site.server.propertiesOf('outgoing_link')[0]).toMatchObject({ hostname: 'other.test' })
  expect(site.server.propertiesOf('$click')).toEqual([])
})

test('without their attributes, clicks send nothing', async () => {
  const events = await clickAll('<a id="go" href="https://other.test/a.pdf">Go</a>', ['#go'], '')
  expect(events).toEqual([])
})

test('an element is an impression once, when half of it is visible, and a new element counts again', async () => {
  site.server.setPage(`<!doctype html><title>Shoes</title>${site.server.snippet('data-track-spa="true"')}
    <div data-aa-impression="top" data-aa-impression-slot="a" style="height: 100px">Top</div>
    <div data-aa-impression="edge" style="position: absolute; top: 740px; height: 150px">The window shows 60 of 150 px</div>
    <div style="height: 3000px"></div><div id="low" data-aa-impression="low" style="height: 100px">Low</div>`)
  const page = await site.tab()
  await page.goto(site.server.page())
  const impressions = (count: number) =>
    eventually(async () => {
      await page.evaluate(() => dispatchEvent(new Event('beforeunload')))
      expect(site.server.propertiesOf('$impression')).toHaveLength(count)
    })
  await impressions(1)
  expect(site.server.propertiesOf('$impression')[0]).toMatchObject({ name: 'top', slot: 'a' })
  for (const top of [5000, 0, 5000]) await page.evaluate(top => scrollTo(0, top), top)
  await impressions(2)
  await page.evaluate(() => {
    history.pushState({}, '', '/a')
    document.getElementById('low')!.outerHTML =
      '<div data-aa-impression="low" style="height: 100px">New</div>'
  })
  await impressions(3)
  await site.leave(page)
  expect(site.server.propertiesOf('$impression').map(({ name }) => name)).toEqual(['top', 'low', 'low'])
})

test('a browser without IntersectionObserver sends no impressions, and all other events', async () => {
  site.server.setPage(`<!doctype html><title>Shoes</title>${site.server.snippet('defer data-track-spa="true"')}
    <p data-aa-impression="top">Top</p>`)
  const page = await site.tab()
  await page.addInitScript(() => Reflect.deleteProperty(window, 'IntersectionObserver'))
  await page.goto(site.server.page('/a'))
  await page.evaluate(() => history.pushState({}, '', '/b'))
  await site.leave(page)
  await eventually(() => expect(site.server.events()).toHaveLength(2))
  expect(site.server.events().map(({ event, properties }) => [event, properties.path])).toEqual([
    ['page_view', '/a'],
    ['page_view', '/b'],
  ])
  await eventually(() => expect(site.server.experimentRequests).toBe(1))
})

test('a submitted form sends its attributes, and never the values of its fields', async () => {
  site.server.setPage(`<!doctype html><title>Shoes</title>${site.server.snippet('data-track-forms="true"')}
    <form id="join" name="signup" class="wide" method="POST" action="/join/ada@example.org?plan=pro">
      <input name="id" value="secret"><input name="action" value="secret"><input id="mail" name="email" type="email" required>
      <button id="send">Join</button><button id="skip" formnovalidate>Skip</button></form>
    <form id="plain"><button id="plain-send">Send</button></form>
    <form id="free" novalidate action="/${'a'.repeat(600)}"><input required><button id="free-send">Send</button></form>
    <script>addEventListener('submit', event => event.preventDefault())</script>`)
  const page = await site.tab()
  await page.goto(site.server.page('/shop'))
  await page.click('#send')
  await page.evaluate(() => document.forms[0]!.dispatchEvent(new Event('submit', { bubbles: true })))
  expect(site.server.propertiesOf('$form_submit')).toEqual([])
  await page.click('#skip')
  await page.fill('#mail', 'ada@example.org')
  await page.click('#send')
  await page.click('#plain-send')
  await page.click('#free-send')
  await site.leave(page)
  await eventually(() => expect(site.server.propertiesOf('$form_submit')).toHaveLength(4))
  const [skipped, sent, plain, free] = site.server.propertiesOf('$form_submit')
  const expected = {
    id: 'join',
    name: 'signup',
    action: site.server.page('/join/[redacted]'),
    method: 'post',
    classes: 'wide',
  }
  expect(skipped).toMatchObject(expected)
  expect(sent).toMatchObject(expected)
  expect(plain).toMatchObject({ id: 'plain', name: '', action: site.server.page('/shop'), method: 'get' })
  expect(free!.action).toBe(site.server.page(`/${'a'.repeat(600)}`).slice(0, 500))
  expect(JSON.stringify(site.server.requests)).not.toMatch(/secret|ada@|plan=/)
})
