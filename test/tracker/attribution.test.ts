import { expect, test } from 'vitest'
import { defineStorage, openNodePage } from './node-page.ts'

async function openTab() {
  const { campaignProperties } = await openNodePage()
  let query = ''
  const properties = () => campaignProperties(new URLSearchParams(query))
  return {
    openPage(search: string) {
      query = search
      properties()
    },
    properties,
    /** Ends the browser session. */
    close() {
      defineStorage('sessionStorage', {})
      query = ''
    },
  }
}

test('the five campaign values are read and decoded, and other query parameters are ignored', async () => {
  const tab = await openTab()
  tab.openPage(
    '?utm_source=news&utm_medium=e+mail&utm_campaign=M%C3%A4rz&utm_content=a&utm_term=b&utm_id=7&gclid=secret',
  )
  expect(tab.properties()).toEqual({
    utm_source: 'news',
    utm_medium: 'e mail',
    utm_campaign: 'März',
    utm_content: 'a',
    utm_term: 'b',
    click_id: 'gclid',
    first_utm_source: 'news',
    first_utm_medium: 'e mail',
    first_utm_campaign: 'März',
    first_utm_content: 'a',
    first_utm_term: 'b',
    first_click_id: 'gclid',
  })
})

test('a new campaign replaces that of the browser session, but never the first campaign', async () => {
  const tab = await openTab()
  tab.openPage('?utm_source=news&utm_medium=mail')
  tab.openPage('?page=2')
  expect(tab.properties()).toMatchObject({ utm_source: 'news', utm_medium: 'mail' })
  tab.openPage('?utm_source=ads')
  expect(tab.properties()).toEqual({
    utm_source: 'ads',
    first_utm_source: 'news',
    first_utm_medium: 'mail',
  })
})

test('a later browser session of the user has only the first campaign', async () => {
  const tab = await openTab()
  tab.openPage('?utm_source=news')
  tab.close()
  expect(tab.properties()).toEqual({ first_utm_source: 'news' })
})

test('a query with only empty values is no campaign', async () => {
  const tab = await openTab()
  tab.openPage('?utm_source=&utm_medium')
  expect(tab.properties()).toEqual({})
})

test('an e-mail address in a campaign value is redacted', async () => {
  const tab = await openTab()
  tab.openPage('?utm_source=news&utm_term=ada%40example.org')
  expect(tab.properties()).toMatchObject({ utm_term: '[redacted]' })
})

test('a campaign value is cut to 256 characters', async () => {
  const tab = await openTab()
  tab.openPage(`?utm_source=${'x'.repeat(300)}`)
  expect(tab.properties().utm_source).toBe('x'.repeat(256))
})

test('stored text that is no JSON gives no campaign', async () => {
  const { campaignProperties } = await openNodePage({
    local: { 'aa:t:ft': 'oops' },
    tab: { 'aa:t:utm': '{' },
  })
  expect(campaignProperties(new URLSearchParams())).toEqual({})
})

test.each(['gclid', 'gbraid', 'wbraid', 'msclkid', 'fbclid', 'ttclid', 'li_fat_id', 'twclid'])(
  'the name of the click id %s is a campaign, and its value is not read',
  async name => {
    const tab = await openTab()
    tab.openPage(`?${name}=secret`)
    expect(tab.properties()).toEqual({ click_id: name, first_click_id: name })
    tab.openPage('?xgclid=1&utm_source=news')
    expect(tab.properties()).toEqual({ utm_source: 'news', first_click_id: name })
  },
)
