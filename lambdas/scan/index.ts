import { rmSync } from 'node:fs'
import { RENDERING_DIR } from '#aws/page-browser'
import { createScanServices } from '#aws/services'
import { scanHandler } from './handler.ts'

// A process that was killed has left its files there.
rmSync(RENDERING_DIR, { recursive: true, force: true })
const { services, instrument } = createScanServices(process.env, import.meta.dirname)
export const handler = instrument(scanHandler(services))
