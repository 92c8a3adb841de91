import { expect, test } from 'vitest'
import { campaignProperties, storeCampaign } from '../../tracker/attribution.ts'
import { openStore } from '../../tracker/storage.ts'
import { memoryStorage } from './memory-storage.ts'

function browser() {
  const local = memoryStorage()
  const localStore = openStore(() => local, 't')
  return {
    openTab() {
      const tab = memoryStorage()
      const tabStore = openStore(() => tab, 't')
      return {
        openPage: (query: string) => storeCampaign(localStore, tabStore, query),
        properties: () => campaignProperties(localStore, tabStore),
      }
    },
  }
}

test('the five campaign values are read and decoded, and other query parameters are ignored', () => {
  const tab = browser().openTab()
  tab.openPage(
    '?utm_source=news&utm_medium=e+mail&utm_campaign=M%C3%A4rz&utm_content=a&utm_term=b&utm_id=7&gclid=x',
  )
  expect(tab.properties()).toEqual({
    utm_source: 'news',
    utm_medium: 'e mail',
    utm_campaign: 'März',
    utm_content: 'a',
    utm_term: 'b',
    first_utm_source: 'news',
    first_utm_medium: 'e mail',
    first_utm_campaign: 'März',
    first_utm_content: 'a',
    first_utm_term: 'b',
  })
})

test('a new campaign replaces that of the browser session, but never the first campaign', () => {
  const tab = browser().openTab()
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

test('a later browser session of the user has only the first campaign', () => {
  const { openTab } = browser()
  openTab().openPage('?utm_source=news')
  expect(openTab().properties()).toEqual({ first_utm_source: 'news' })
})

test('a query with only empty values is no campaign', () => {
  const tab = browser().openTab()
  tab.openPage('?utm_source=&utm_medium')
  expect(tab.properties()).toEqual({})
})

test('an e-mail address in a campaign value is redacted', () => {
  const tab = browser().openTab()
  tab.openPage('?utm_source=news&utm_term=ada%40example.org')
  expect(tab.properties()).toMatchObject({ utm_term: '[redacted]' })
})

test('only texts under the five names are read from a storage that another script has changed', () => {
  const broken = memoryStorage({
    'aa:t:utm': '{"utm_source":1,"utm_medium":"m","card":"1"}',
    'aa:t:ft': 'oops',
  })
  const store = openStore(() => broken, 't')
  expect(campaignProperties(store, store)).toEqual({ utm_medium: 'm' })
})
