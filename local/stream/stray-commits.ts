import { existsSync, readFileSync } from 'node:fs'
import {
  FRAME_HEADER_BYTES,
  frameOffset,
  PAGE_BYTES,
  type SalvagedRecord,
  salvageFrames,
  WAL_HEADER_BYTES,
} from './salvage.ts'

/**
 * The records of each commit in the write-ahead log that SQLite drops without an error: a damaged frame is
 * before it. The format: https://sqlite.org/fileformat2.html, section 4.
 *
 * Frames after the last valid one are normal when they are of an earlier round, of a commit that never
 * finished, or of the one commit that waited for the disk during a power cut. `hasAcknowledged` says whether
 * there is more.
 */
export function findStrayCommits(path: string): SalvagedRecord[][] {
  const walPath = `${path}-wal`
  if (!existsSync(walPath)) return []
  const wal = readFileSync(walPath)
  const frameCount = Math.floor((wal.length - WAL_HEADER_BYTES) / (FRAME_HEADER_BYTES + PAGE_BYTES))
  if (frameCount <= 0) return []
  const isHeaderValid = isWalHeaderValid(wal)
  const salt = isHeaderValid ? saltAt(wal, 16) : mostFrequentSalt(wal, frameCount)
  const commits: number[][] = []
  let frames: number[] = []
  for (let frame = isHeaderValid ? countValidFrames(wal, frameCount) : 0; frame < frameCount; frame++) {
    const header = wal.subarray(frameOffset(frame), frameOffset(frame) + FRAME_HEADER_BYTES)
    if (saltAt(header, 8) !== salt) continue
    frames.push(frame)
    if (!isCommit(header)) continue
    commits.push(frames)
    frames = []
  }
  return salvageFrames(path, salt, commits)
}

/** Leaves out records that the log has, and commits without other records, such as deletions. */
export function newCommits(commits: readonly SalvagedRecord[][], end: number): SalvagedRecord[][] {
  return commits
    .map(records => records.filter(({ sequence }) => sequence > end))
    .filter(records => records.length > 0)
}

/**
 * Returns whether an append of the commits was acknowledged. The commit thread begins a commit only after the
 * one before is synced, so of two commits the first was acknowledged.
 */
export function hasAcknowledged(commits: readonly SalvagedRecord[][], acknowledged: number): boolean {
  return commits.length > 1 || commits.flat().some(({ sequence }) => sequence <= acknowledged)
}

/** The salt of a round of the write-ahead log. Its header and all frames of the round have it. */
function saltAt(bytes: Buffer, at: number): string {
  return bytes.toString('hex', at, at + 8)
}

/** The salt of the present round when the header is damaged. The first frames may be damaged, too. */
function mostFrequentSalt(wal: Buffer, frameCount: number): string {
  const salts = Array.from({ length: frameCount }, (_, frame) => saltAt(wal, frameOffset(frame) + 8))
  const counts = [...Map.groupBy(salts, salt => salt)].toSorted(([, a], [, b]) => b.length - a.length)
  return counts[0]?.[0] ?? ''
}

function isWalHeaderValid(wal: Buffer): boolean {
  const isKnown = [0x377f0682, 0x377f0683].includes(wal.readUInt32BE(0)) && wal.readUInt32BE(8) === PAGE_BYTES
  return isKnown && isChecksum(checksum(wal, 0, 24, [0, 0]), wal, 24)
}

/**
 * The number of frames up to the last commit that SQLite accepts: each checksum goes on from the one before.
 */
function countValidFrames(wal: Buffer, frameCount: number): number {
  let valid = 0
  let sums: Checksum = [wal.readUInt32BE(24), wal.readUInt32BE(28)]
  for (let frame = 0; frame < frameCount; frame++) {
    const at = frameOffset(frame)
    const data = at + FRAME_HEADER_BYTES
    if (saltAt(wal, at + 8) !== saltAt(wal, 16)) break
    sums = checksum(wal, data, data + PAGE_BYTES, checksum(wal, at, at + 8, sums))
    if (!isChecksum(sums, wal, at + 16)) break
    if (isCommit(wal.subarray(at))) valid = frame + 1
  }
  return valid
}

/** The last frame of a commit has the size of the database, in pages. Other frames have 0. */
function isCommit(header: Buffer): boolean {
  return header.readUInt32BE(4) !== 0
}

type Checksum = readonly [number, number]

/** Section 4.2 of the format. The first word of the file says in which byte order the words are added. */
function checksum(wal: Buffer, from: number, to: number, [first, second]: Checksum): Checksum {
  const isLittleEndian = wal.readUInt32BE(0) === 0x377f0682
  const view = new DataView(wal.buffer, wal.byteOffset, wal.length)
  let [a, b] = [first, second]
  for (let at = from; at < to; at += 8) {
    a = (a + view.getUint32(at, isLittleEndian) + b) | 0
    b = (b + view.getUint32(at + 4, isLittleEndian) + a) | 0
  }
  return [a >>> 0, b >>> 0]
}

function isChecksum([first, second]: Checksum, wal: Buffer, at: number): boolean {
  return wal.readUInt32BE(at) === first && wal.readUInt32BE(at + 4) === second
}
