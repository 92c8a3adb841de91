import { lakeServices } from '#aws/services'
import { lakeHandler } from './handler.ts'

const { services, instrument } = lakeServices(process.env)
export const handler = instrument(lakeHandler(services))
