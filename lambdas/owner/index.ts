import { createOwnerServices } from '#aws/services'
import { ownerHandler } from './handler.ts'

const { services, instrument } = createOwnerServices(process.env)
export const handler = instrument(ownerHandler(services))
