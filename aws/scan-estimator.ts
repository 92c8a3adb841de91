import type { ScanEstimator } from '#core/ports'
import { athenaCostUsd } from './athena-price.ts'

/**
 * Estimates what Athena reads for a statement, from the sizes of the files that the statement names. Athena
 * reads fewer bytes: only the columns of the statement. It reads and bills a file again for each scan of its
 * table.
 */
export const athenaEstimator: ScanEstimator = {
  async estimate({ scans = [] }, snapshot) {
    const sizes = scans.flatMap(({ files }) => files).flatMap(key => snapshot.sizeOf(key) ?? [])
    const bytesScanned = sizes.reduce((sum, { bytes }) => sum + bytes, 0)
    const rowsScanned = sizes.reduce((sum, { rows }) => sum + rows, 0)
    return { rowsScanned, bytesScanned, costUsd: athenaCostUsd(bytesScanned) }
  },
}
