import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { FunctionName } from '#schemas/functions'
import { buildBundles } from '../support/bundle-world.ts'
import type { Deployed } from './bundles.test.ts'

/** Bytes of JavaScript, source map apart: what a cold start reads. Raise one with a reason. */
const BUDGETS: Record<FunctionName, number> = {
  track: 1_000_000,
  reports: 950_000,
  control: 900_000,
  site: 400_000,
  lake: 1_150_000,
  jobs: 1_300_000,
  scheduler: 1_100_000,
  owner: 900_000,
}

/** What Lambda unpacks at most, bytes. */
const UNPACKED = 250 * 1024 * 1024

const names = Object.keys(BUDGETS) as FunctionName[]

export function sizes(deployed: () => Deployed): void {
  describe('the size of a bundle', () => {
    test.each(names)('%s stays below its budget', name => {
      const { bytes, folder } = deployed().bundles[name]
      expect(bytes).toBe(statSync(join(folder, 'index.mjs')).size)
      expect(bytes).toBeLessThan(BUDGETS[name])
    })

    test('the library of DuckDB fits in what Lambda unpacks', () => {
      const { folder } = deployed().bundles.jobs
      const [addon = ''] =
        readFileSync(join(folder, 'index.mjs'), 'utf8').match(/@duckdb\/node-bindings-\S+?\.node/) ?? []
      const library = join(folder, 'node_modules', addon)
      expect(statSync(library).size + statSync(join(library, '../libduckdb.so')).size).toBeLessThan(
        UNPACKED / 2,
      )
    })

    test('it holds only the clients that its function uses', () => {
      const { bundles } = deployed()
      const targets = ['DynamoDB_20120810', 'AmazonAthena', 'Kinesis_20131202', 'AmazonSQS', 'AmazonS3']
      const held = names.map(name => {
        const code = readFileSync(join(bundles[name].folder, 'index.mjs'), 'utf8')
        return [name, targets.filter(target => code.includes(target)).join(' ')]
      })
      expect(Object.fromEntries(held)).toEqual({
        track: 'DynamoDB_20120810 Kinesis_20131202',
        reports: 'DynamoDB_20120810 AmazonAthena',
        control: 'DynamoDB_20120810',
        site: '',
        lake: 'DynamoDB_20120810 Kinesis_20131202 AmazonS3',
        jobs: 'DynamoDB_20120810 AmazonS3',
        scheduler: 'DynamoDB_20120810 AmazonSQS AmazonS3',
        owner: 'DynamoDB_20120810',
      })
    })
  })

  test('the same sources give the same bytes, wherever they are written', async () => {
    const { bundles } = deployed()
    const again = await buildBundles()
    try {
      for (const name of names) {
        for (const file of ['index.mjs', 'index.mjs.map', 'tracker.json']) {
          const [one, other] = [bundles, again.bundles].map(of => join(of[name].folder, file)) as [
            string,
            string,
          ]
          expect(existsSync(other)).toBe(existsSync(one))
          if (existsSync(one))
            expect(readFileSync(other).equals(readFileSync(one)), `${name}/${file}`).toBe(true)
        }
      }
    } finally {
      await again.close()
    }
  })
}
