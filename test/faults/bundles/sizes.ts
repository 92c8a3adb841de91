import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { FunctionName } from '#schemas/functions'
import type { Deployed } from './deployed.ts'

/**
 * Most bytes of JavaScript, without source map: a cold start reads them. Raise a limit only with a reason.
 * The routes table, with the schemas of all endpoints, is in every function, and so is what bounds strangers.
 * So each function has: 2 to 5 KB for the rule and the fields of experiments, 2 KB for annotations and
 * versions of contexts, 1 KB for display names, 5 KB for conditions of reads, 3 KB for refused events and
 * POST /track/check, 3 KB for segments and the computed groups of /query, 2 KB for names of properties in
 * quotes, 1 KB for the list of erasures, 4 KB for exports, 1 KB for the columns of sources, 1 KB for exports
 * of contexts and the bound of all registrations, and 1 KB for fields of sessions and traits in filters.
 */
const SIZE_LIMITS: Record<FunctionName, number> = {
  // The client of Secrets Manager, for the key of the e-mail index, and the gathered counts of bots.
  // The table of browsers and systems is 2 KB.
  track: 1_220_000,
  // A read lists the hot files itself and writes links files, so it has the client of S3 and both Parquet
  // libraries. It computes the results of experiments too, and notes which events reports have named. Reports
  // for share links, which fold groups of few people, are a hundredth of it, and so are the notes that say
  // what a number counts. Conditions of reads need 12 KB to choose sessions and people. Known sources and
  // caveats need 20 KB. Comparisons, segments and the answers of several reads need 12 KB. What verify says
  // about refused events and the files of a site is 3 KB, and so are conditions about traits. Packed
  // statements are 6 KB, and what finds sessions with a replay and sources in the rollup is 8 KB. Groups
  // by traits, and numbers of people and sessions that pass a condition, are 2 KB.
  reports: 1_707_000,
  stream: 1_113_000,
  // The clients of SNS and SQS, for feedback and for website analyses, with the list of public suffixes,
  // whose root domains anonymous analyses are of, are a fifth of it. Erasures, the usage for Stripe and the
  // places of projects need the rest.
  // The client of S3 is a tenth: receipts of erasures are read from manifests, which are objects.
  // It checks the fields of segments as a read does.
  // What begins exports and signs the addresses of their files is 15 KB.
  control: 1_552_000,
  // The client of S3, for chunks, and what serves the recorder.
  replay: 1_292_000,
  auth: 1_097_000,
  // Reports and control together, without exports, with what control needs for website analyses, and the
  // library of MCP.
  mcp: 2_213_000,
  // What the viewer says about masked texts is 1 KB.
  site: 503_000,
  // Stripe's library is a third of it, and only a checkout runs it. The sign-out of other browsers is 1 KB.
  pages: 1_453_000,
  // It reads and writes links files.
  lake: 1_200_000,
  live: 950_000,
  // The plan of events of website analyses, which names elements in the words of thirty languages, is an
  // eighth of it, and the client of Bedrock, for a text model that words it, 50 KB. Sweeps, which the
  // scheduler did before, are 5 KB. Words for kinds of sites in nineteen languages more are 20 KB, and what
  // writes traits files is 3 KB. Exports are 128 KB: the client of SQS, by which a long one goes on, the
  // engine of reads, and pages of events.
  jobs: 2_144_000,
  // A third of it is the reader of pages with its words in thirty languages, and another third the detector
  // that tells sixty of them apart. Its browser is a hundred times as large.
  // The words for kinds of sites are 20 KB of it.
  scan: 1_530_000,
  // Consumer and compactor together. The sources in the session rollup are 2 KB, and what brings erasures
  // back from the state is 3 KB.
  restore: 1_506_000,
  // A third is Stripe's library: it cancels the subscriptions of deleted accounts. The client of Kinesis is
  // for the retention of the stream. What erasures take out of views, annotations and contexts is a
  // hundredth. What deletes replays that a project keeps for fewer than 30 days is 6 KB.
  // What deletes old exports is 7 KB.
  scheduler: 1_551_000,
  owner: 925_000,
}

/** Lambda's limit for the unpacked files of a function, bytes. */
const LAMBDA_UNPACKED_LIMIT = 250 * 1024 * 1024

/** Our tokens, keys of AWS and Stripe, and private keys. */
const CREDENTIAL =
  /\baa[a-z]_[0-9a-f]{32,}|\bAKIA[0-9A-Z]{16}|\b(?:sk|rk)_(?:live|test)_\w+|\bwhsec_\w+|-----BEGIN [A-Z ]*PRIVATE KEY-----/

const names = Object.keys(SIZE_LIMITS) as FunctionName[]

export function sizes(deployed: () => Deployed): void {
  describe('a bundle', () => {
    test.each(names)('of %s is smaller than its limit', name => {
      const { bytes, folder } = deployed().bundles[name]
      expect(bytes).toBe(statSync(join(folder, 'index.mjs')).size)
      expect(bytes).toBeLessThan(SIZE_LIMITS[name])
    })

    test('with the DuckDB library fits in half of Lambda’s unpacked limit', () => {
      const { folder } = deployed().bundles.jobs
      const [addon = ''] =
        readFileSync(join(folder, 'index.mjs'), 'utf8').match(/@duckdb\/node-bindings-\S+?\.node/) ?? []
      const library = join(folder, 'node_modules', addon)
      expect(statSync(library).size + statSync(join(library, '../libduckdb.so')).size).toBeLessThan(
        LAMBDA_UNPACKED_LIMIT / 2,
      )
    })

    test('contains only the AWS clients that its function uses', () => {
      const { bundles } = deployed()
      const clients = [
        'DynamoDB_20120810',
        'AmazonAthena',
        'Kinesis_20131202',
        'AmazonSQS',
        'AmazonS3',
        'secretsmanager',
        'com.amazonaws.sns',
        'AWSGirApiService',
        'AmazonBedrockFrontendService',
      ]
      const clientsOf = names.map(name => {
        const code = readFileSync(join(bundles[name].folder, 'index.mjs'), 'utf8')
        return [name, clients.filter(client => code.includes(client)).join(' ')]
      })
      expect(Object.fromEntries(clientsOf)).toEqual({
        track: 'DynamoDB_20120810 Kinesis_20131202 secretsmanager',
        reports: 'DynamoDB_20120810 AmazonAthena AmazonS3 secretsmanager',
        stream: 'DynamoDB_20120810',
        control: 'DynamoDB_20120810 AmazonSQS AmazonS3 com.amazonaws.sns',
        replay: 'DynamoDB_20120810 AmazonS3',
        auth: 'DynamoDB_20120810',
        mcp: 'DynamoDB_20120810 AmazonAthena AmazonSQS AmazonS3 secretsmanager com.amazonaws.sns',
        site: '',
        pages: 'DynamoDB_20120810 secretsmanager',
        lake: 'DynamoDB_20120810 Kinesis_20131202 AmazonS3',
        live: 'DynamoDB_20120810',
        jobs: 'DynamoDB_20120810 AmazonSQS AmazonS3 AWSGirApiService AmazonBedrockFrontendService',
        scan: '',
        restore: 'DynamoDB_20120810 Kinesis_20131202 AmazonS3',
        scheduler: 'DynamoDB_20120810 Kinesis_20131202 AmazonSQS AmazonS3 secretsmanager',
        owner: 'DynamoDB_20120810 Kinesis_20131202',
      })
    })
  })

  test.each(names)('the bundle of %s contains no credential', name => {
    const code = readFileSync(join(deployed().bundles[name].folder, 'index.mjs'), 'utf8')
    expect(CREDENTIAL.exec(code)?.[0]).toBeUndefined()
  })
}
