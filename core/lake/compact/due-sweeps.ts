import { needsSweep } from '#core/lake/erase/erasure-progress'
import { compactedByAll, type Manifest } from '#core/lake/model/manifest'
import { findSweep, type Sweep, segmentsSweep } from '#core/lake/model/sweep'
import type { MaintenanceSettings } from './maintenance-settings.ts'

/** Passes while a superseded file is kept: listing all files costs time and money. */
const PASSES = 8

/**
 * The sweeps whose next slice is due: those of buckets in which only the deletion of files keeps an erasure
 * from its end, then those whose pass runs, then those whose last pass was long ago, the oldest first.
 */
export function dueSweeps(
  manifests: readonly Manifest[],
  sweeps: readonly Sweep[],
  settings: Pick<MaintenanceSettings, 'keepSupersededMs' | 'keepErasedMs' | 'jobMs'>,
  now: number,
): Sweep[] {
  const isOld = ({ sweptAt }: Sweep) =>
    now - sweptAt >= settings.keepSupersededMs / PASSES ||
    // A clock that was ahead.
    sweptAt > now
  const hot = compactedByAll(manifests) > 1 ? [findSweep(sweeps, 'hot')] : []
  const ofManifests = manifests.some(({ version }) => version > 0) ? [findSweep(sweeps, 'manifests')] : []
  const ofSegments = manifests
    .filter(({ segments, retired, tombstoneCount }) => segments.length + retired.length + tombstoneCount > 0)
    .map(manifest => ({ manifest, sweep: findSweep(sweeps, segmentsSweep(manifest.bucket)) }))
  const needed = ofSegments
    .filter(({ manifest, sweep }) => needsSweep(manifest, sweep, settings, now))
    .map(({ sweep }) => sweep)
  const others = [...hot, ...ofManifests, ...ofSegments.map(({ sweep }) => sweep)]
    .filter(sweep => !needed.includes(sweep))
    .toSorted((a, b) => a.sweptAt - b.sweptAt)
  const running = others.filter(({ beganAt }) => beganAt !== null)
  return [...needed, ...running, ...others.filter(sweep => sweep.beganAt === null && isOld(sweep))]
}
