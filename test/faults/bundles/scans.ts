import { statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createRunningScans } from '#core/scans/running-scans'
import type { Scan } from '#core/scans/scan'
import { createScanStore } from '#core/scans/scan-store'
import { systemClock as clock } from '#providers/system-clock'
import { exampleEvent, type SqsEvent } from '#test/support/lambda-events'
import type { Deployed } from './deployed.ts'

export function scans(deployed: () => Deployed): void {
  test('the worker lets another function read the pages, which refuses addresses of its own network', async () => {
    const { service } = deployed()
    const state = { ...service.state, clock }
    const store = createScanStore(state)
    const scan: Scan = {
      ...{ account_id: 'acc_scans', id: `scan_${'5'.repeat(24)}`, mode: 'full' },
      ...{
        status: 'pending',
        stage: 'queued',
        attempts: 0,
        created_at: clock.now(),
        started_at: clock.now(),
      },
      url: 'https://inside.example/',
      addresses: ['http://169.254.170.2/v2/credentials'],
      hostname: 'inside.example',
    }
    await store.put(scan)
    await createRunningScans(state).admit(scan)
    const event = exampleEvent<SqsEvent>('sqs', ({ Records: [record] }) => {
      Object.assign(record, {
        body: JSON.stringify({ kind: 'scan', account_id: scan.account_id, id: scan.id }),
      })
    })
    expect(await service.invoke('jobs', event)).toEqual({ batchItemFailures: [] })
    expect(await store.find(scan)).toMatchObject({
      status: 'failed',
      failure: { code: 'INVALID_URL', reason: expect.stringContaining('is no public address') },
    })
  })

  test('the function that reads pages has a browser, within Lambda\u2019s limit of 250 MB', () => {
    const folder = join(deployed().bundles.scan.folder, 'chromium')
    const sizes = ['chromium.br', 'al2023.tar.br', 'fonts.tar.br'].map(
      name => statSync(join(folder, name)).size,
    )
    expect(sizes[0]).toBeGreaterThan(40_000_000)
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(150_000_000)
  })
}
