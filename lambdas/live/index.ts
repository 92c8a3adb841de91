import { createLiveServices } from '#aws/live-services'
import { liveHandler } from './handler.ts'

const { services, instrument } = createLiveServices(process.env)
export const handler = instrument(liveHandler(services))
