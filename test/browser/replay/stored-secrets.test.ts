import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { Request } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '#test/support/eventually'
import { CORPUS_PAGE, expectWholeCorpus, fillCorpusPage, findLeaks, useCorpus } from './corpus-page.ts'
import { setVisibility } from './recorded-shop.ts'
import { openReplaySite, type ReplaySite } from './replay-site.ts'

/** The corpus from a page in a real browser to the disk of the service. */

let site: ReplaySite
beforeAll(async () => {
  site = await openReplaySite()
})
afterAll(() => site?.close())

/** A request with its headers and its body, which may have compressed events. */
async function read(request: Request): Promise<string> {
  const body = request.postData() ?? ''
  const gzip = /"gzip":"([^"]*)"/.exec(body)?.[1]
  const events = gzip === undefined ? '' : gunzipSync(Buffer.from(gzip, 'base64')).toString()
  return [request.url(), JSON.stringify(await request.allHeaders()), body, events].join('\n')
}

/** All files of the service, as they are and decompressed. */
async function readFiles(folder: string): Promise<string> {
  const texts: string[] = []
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const bytes = await readFile(join(entry.parentPath, entry.name))
    texts.push(entry.name, bytes.toString())
    if (bytes[0] === 0x1f && bytes[1] === 0x8b) texts.push(gunzipSync(bytes).toString())
  }
  return texts.join('\n')
}

test.each([false, true])(
  'none of 200 secrets is in a request of the recorder or on the disk of the service (all texts masked: %s)',
  async mask_text => {
    const shop = await site.newSite(
      { '/shop': CORPUS_PAGE.html },
      { settings: { mask_text, mask_selectors: ['.private'], block_selectors: ['.secret'] } },
    )
    const user = await site.newUser()
    const page = await user.newPage()
    // Titles and addresses are data of the tracker. Without its events, all on the disk is of the recorder.
    await page.route('**/track', route => route.fulfill({ status: 200, json: { ok: true } }))
    const requests: Request[] = []
    page.on('request', request => {
      if (new URL(request.url()).pathname.startsWith('/replay/')) requests.push(request)
    })
    await page.goto(shop.url(CORPUS_PAGE.path))
    await fillCorpusPage(page)
    await eventually(async () => expect(await shop.replays()).toHaveLength(1))
    await useCorpus(page)
    await eventually(async () => {
      // The recorder sends what it has, without the wait for a whole chunk.
      await setVisibility(page, 'hidden')
      await setVisibility(page, 'visible')
      const [replay] = await shop.replays()
      expectWholeCorpus(JSON.stringify(await shop.events(replay!.id)))
    })

    const sent = (await Promise.all(requests.map(read))).join('\n')
    // The service moves files while they are read.
    const stored = await eventually(() => readFiles(site.service.dataDir))
    for (const text of [sent, stored]) {
      // The search reads what was recorded.
      expectWholeCorpus(text)
      expect(findLeaks(text).map(secret => `${secret.kind}: ${secret.text}`)).toEqual([])
    }
    expect(sent.includes('Write to')).toBe(!mask_text)
    await user.close()
  },
)
