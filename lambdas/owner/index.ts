import { ownerServices } from '#aws/services'
import { ownerHandler } from './handler.ts'

const { services, instrument } = ownerServices(process.env)
export const handler = instrument(ownerHandler(services))
