import { createLakeServices } from '#aws/services'
import { lakeHandler } from './handler.ts'

const { services, instrument } = createLakeServices(process.env)
export const handler = instrument(lakeHandler(services))
