import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * The service for the command line in `folder`: the nearest folder above that is a clone or the package of
 * the service, or has that package installed. Null without one.
 */
export function findService(folder: string): string | null {
  const places = [folder, join(folder, 'node_modules/footfall-service')]
  const found = places.find(place => MAIN.some(file => existsSync(join(place, file))))
  if (found !== undefined) return found
  return dirname(folder) === folder ? null : findService(dirname(folder))
}

/** Of a clone, and of the package. */
const MAIN = ['local/backup/main.ts', 'local/backup/main.js']
