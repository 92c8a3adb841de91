import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { DeleteObjectCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { makeBackup } from '#local/backup/make-backup'
import { restoreCopy } from '#local/backup/restore-copy'
import { s3Address } from '#local/backup/s3-address'
import { readKeyFile } from '#local/backup/sealing'
import { verifyCopy } from '#local/backup/verify-copy'
import { runProcess } from '#test/cli/built-cli'
import { EMULATOR_ACCESS, type EmulatedStorage, startStorage } from '#test/support/emulators'

/** Copies in an S3 bucket. backup.test.ts has what they share with those in a folder. */

const root = mkdtempSync(join(tmpdir(), 'footfall-s3-'))
const newFolder = () => mkdtempSync(join(root, 'f-'))
let storage: EmulatedStorage
beforeAll(async () => {
  storage = await startStorage()
  const { region, credentials } = EMULATOR_ACCESS
  vi.stubEnv('AWS_ENDPOINT_URL_S3', storage.endpoint)
  vi.stubEnv('AWS_REGION', region)
  vi.stubEnv('AWS_ACCESS_KEY_ID', credentials.accessKeyId)
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', credentials.secretAccessKey)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await storage.stop()
  rmSync(root, { recursive: true, force: true })
})

let dataDir: string
let bucket: string
let backups: string
beforeEach(() => {
  dataDir = join(newFolder(), 'data')
  cpSync(resolve(import.meta.dirname, '../../fixtures/editions/1/data'), dataDir, { recursive: true })
  bucket = storage.createBucket()
  backups = `s3://${bucket}/host/footfall`
})

const backUp = (more: Partial<Parameters<typeof makeBackup>[0]> = {}) =>
  makeBackup({ dataDir, backups, keep: 7, key: null, readCounts: async () => null, ...more })

async function keys(): Promise<string[]> {
  const { Contents = [] } = await storage.s3.send(new ListObjectsV2Command({ Bucket: bucket }))
  return Contents.map(({ Key = '' }) => Key)
}

function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && !/^(lock|log\.high)$/.test(entry.name))
    .map(entry => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .toSorted()
}

function newKey(digits: string) {
  const path = join(newFolder(), 'key')
  writeFileSync(path, digits.repeat(32))
  return readKeyFile(path)
}

test.each([
  ['plain', null],
  ['sealed', 'a1'],
])('a copy that is %s is verified, and restored with the same files', async (_, digits) => {
  const key = digits === null ? null : newKey(digits)
  const made = await backUp({ key })
  expect(made.copy).toContain(`${backups}/copies/20`)
  expect(made.added).toEqual({ files: made.files, bytes: made.bytes })
  const verdict = await verifyCopy({ from: backups, key })
  expect(verdict).toMatchObject({ copy: made.copy, problems: [], files: made.files })
  expect(verdict.events).toBeGreaterThan(0)
  const target = join(newFolder(), 'new')
  await restoreCopy({ from: backups, dataDir: target, key })
  expect(filesOf(target)).toEqual(filesOf(dataDir))
  for (const path of filesOf(dataDir).filter(each => each.startsWith('lake/') || each === 'credentials.json'))
    expect(readFileSync(join(target, path)), path).toEqual(readFileSync(join(dataDir, path)))
})

test('the program of `footfall backup` takes an address, and prints where the copy is', async () => {
  const program = resolve(import.meta.dirname, '../../../local/backup/main.ts')
  const env = process.env as Record<string, string>
  const words = ['--disable-warning=ExperimentalWarning', program, 'backup', backups, '--data', dataDir]
  const { code, stdout, stderr } = await runProcess(process.execPath, words, env)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toContain(`${backups}/copies/20`)
  const other = await runProcess(process.execPath, [...words.slice(0, 2), 'verify', backups], env)
  expect([other.code, other.stdout]).toEqual([0, expect.stringContaining('is good')])
})

test('a later copy stores only what is new, and a copy can be named', async () => {
  const first = await backUp()
  writeFileSync(join(dataDir, 'lake/hot-new.parquet'), 'new')
  const second = await backUp()
  expect(second.files).toBe(first.files + 1)
  expect(second.added.files).toBeLessThan(first.files)
  const target = join(newFolder(), 'older')
  expect(await restoreCopy({ from: first.copy, dataDir: target, key: null })).toMatchObject({
    ...{ copy: first.copy, files: first.files },
  })
  expect(filesOf(target)).not.toContain('lake/hot-new.parquet')
})

test('only the newest copies stay, with their files; what a killed run left goes a day later', async () => {
  await backUp()
  writeFileSync(join(dataDir, 'lake/hot-new.parquet'), 'new')
  await backUp()
  const left = 'host/footfall/files/left'
  await storage.s3.send(new PutObjectCommand({ Bucket: bucket, Key: left, Body: 'x' }))
  rmSync(join(dataDir, 'lake/hot-new.parquet'))
  const before = await keys()
  await backUp({ keep: 1 })
  expect((await keys()).filter(key => key.includes('/copies/'))).toHaveLength(1)
  expect(await keys()).toContain(left)
  vi.useFakeTimers({ now: Date.now() + 2 * 86_400_000, toFake: ['Date'] })
  try {
    const last = await backUp({ keep: 1 })
    const files = (await keys()).filter(key => key.includes('/files/'))
    expect(files).not.toContain(left)
    expect(files).toHaveLength(last.files)
    expect(files.length).toBeLessThan(before.length)
  } finally {
    vi.useRealTimers()
  }
  expect(await verifyCopy({ from: backups, key: null })).toMatchObject({ problems: [] })
})

test('copies of two keys stay apart, and each opens with its own key alone', async () => {
  const [one, other] = [newKey('a1'), newKey('b2')]
  const first = await backUp({ key: one })
  const second = await backUp({ key: other })
  expect(second.added.files).toBe(second.files)
  expect(await verifyCopy({ from: first.copy, key: one })).toMatchObject({ problems: [] })
  await expect(verifyCopy({ from: first.copy, key: other })).rejects.toThrow('sealed with another key')
  await expect(verifyCopy({ from: first.copy, key: null })).rejects.toThrow('is sealed')
  // Nobody knows which files the list of the other key names.
  await backUp({ key: other, keep: 2 })
  expect(await verifyCopy({ from: second.copy, key: other })).toMatchObject({ problems: [] })
})

test('a missing and a damaged file are found, and nothing is restored of them', async () => {
  const made = await backUp()
  const [lost = '', damaged = ''] = (await keys()).filter(key => key.includes('/files/'))
  await storage.s3.send(new DeleteObjectCommand({ Bucket: bucket, Key: lost }))
  await storage.s3.send(new PutObjectCommand({ Bucket: bucket, Key: damaged, Body: 'damaged' }))
  const { problems } = await verifyCopy({ from: backups, key: null })
  expect(problems.toSorted()).toEqual([
    expect.stringMatching(/ is (missing|damaged)\./),
    expect.stringMatching(/ is (missing|damaged)\./),
  ])
  const target = join(newFolder(), 'new')
  await expect(restoreCopy({ from: made.copy, dataDir: target, key: null })).rejects.toThrow(
    /is (missing|damaged)/,
  )
})

test('a bucket that does not exist, one without copies and a bad address are named, with what to do', async () => {
  await expect(backUp({ backups: 's3://no-such-bucket/x' })).rejects.toThrow(
    /s3:\/\/no-such-bucket\/x\/ cannot be used .*AWS_ENDPOINT_URL_S3/,
  )
  await expect(verifyCopy({ from: backups, key: null })).rejects.toThrow('has no copy')
  const target = join(newFolder(), 'new')
  for (let tries = 0; tries < 2; tries++)
    await expect(restoreCopy({ from: backups, dataDir: target, key: null })).rejects.toThrow('has no copy')
  // A service may start there.
  expect(readdirSync(target)).not.toContain('restoring')
  await expect(backUp({ backups: 's3:/bucket' })).rejects.toThrow('Write s3://bucket/prefix')
  expect(readdirSync(dataDir)).not.toContain('backup.unfinished')
})

test('a second run at the same time is refused', async () => {
  mkdirSync(join(dataDir, 'lock-backup'), { recursive: true })
  const running = backUp()
  await expect(backUp()).rejects.toThrow('Another backup')
  expect((await running).files).toBeGreaterThan(0)
})

test('an address names a bucket, a prefix and perhaps a copy', () => {
  const copy = '2026-11-30T120000.000Z'
  expect(s3Address('/var/backups')).toBeNull()
  expect(s3Address('s3://shop-copies')).toEqual({ bucket: 'shop-copies', prefix: '', copy: null })
  expect(s3Address('s3://shop-copies//a/b/')).toMatchObject({ prefix: 'a/b/', copy: null })
  expect(s3Address(`s3://shop-copies/a/copies/${copy}`)).toMatchObject({ prefix: 'a/', copy })
})
