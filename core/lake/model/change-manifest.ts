import type { Manifest } from './manifest.ts'
import type { LakeStateStore } from './state.ts'

/**
 * Changes a manifest: reads it, and saves what `change` returns, again until no other change came between.
 * `change` returns null if there is nothing to do.
 */
export async function changeManifest(
  state: Pick<LakeStateStore, 'manifest' | 'saveManifest'>,
  bucket: number,
  change: (manifest: Manifest) => Manifest | null,
): Promise<void> {
  for (;;) {
    const next = change(await state.manifest(bucket))
    if (next === null || (await state.saveManifest(next))) return
  }
}
