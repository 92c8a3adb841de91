import { expect, test } from 'vitest'
import { campaignProperties, keepCampaign } from '../../tracker/attribution.ts'
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
        visit: (query: string) => keepCampaign(localStore, tabStore, query),
        properties: () => campaignProperties(localStore, tabStore),
      }
    },
  }
}

test('the five campaign values are read, decoded; everything else in the query is left alone', () => {
  const tab = browser().openTab()
  tab.visit(
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

test('a campaign lasts for the browser session; a new one replaces the whole set, the first is never overwritten', () => {
  const tab = browser().openTab()
  tab.visit('?utm_source=news&utm_medium=mail')
  tab.visit('?page=2')
  expect(tab.properties()).toMatchObject({ utm_source: 'news', utm_medium: 'mail' })
  tab.visit('?utm_source=ads')
  expect(tab.properties()).toEqual({
    utm_source: 'ads',
    first_utm_source: 'news',
    first_utm_medium: 'mail',
  })
})

test('another browser session of the visitor has the first campaign only', () => {
  const { openTab } = browser()
  openTab().visit('?utm_source=news')
  expect(openTab().properties()).toEqual({ first_utm_source: 'news' })
})

test('empty values are no campaign', () => {
  const tab = browser().openTab()
  tab.visit('?utm_source=&utm_medium')
  expect(tab.properties()).toEqual({})
})

test('an e-mail address in a campaign value is not sent', () => {
  const tab = browser().openTab()
  tab.visit('?utm_source=news&utm_term=ada%40example.org')
  expect(tab.properties()).toMatchObject({ utm_term: '[redacted]' })
})

test('of a storage that someone else wrote to, only texts of the five names are taken', () => {
  const broken = memoryStorage({
    'aa:t:utm': '{"utm_source":1,"utm_medium":"m","card":"1"}',
    'aa:t:ft': 'oops',
  })
  const store = openStore(() => broken, 't')
  expect(campaignProperties(store, store)).toEqual({ utm_medium: 'm' })
})
