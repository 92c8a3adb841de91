import type { Service } from '#test/support/service-process'

/** Calls of the service of a test as the owner. They throw for another status than the expected one. */
export type OwnerCalls = {
  /** Expects 200. */
  get<T>(path: string): Promise<T>
  post<T>(path: string, body: unknown, expected?: number): Promise<T>
  put<T>(path: string, body: unknown, expected?: number): Promise<T>
}

/** The part of a service that calls need. */
export type Called = Pick<Service, 'baseUrl' | 'credentials'>

export function ownerCalls({ baseUrl, credentials }: Called): OwnerCalls {
  const headers = { 'X-API-Key': credentials.api_key }

  async function ask<T>(path: string, init: RequestInit, expected: number): Promise<T> {
    const response = await fetch(baseUrl + path, init)
    const text = await response.text()
    if (response.status !== expected) throw new Error(`${path}: ${response.status} ${text}`)
    return JSON.parse(text)
  }

  const sending =
    (method: 'POST' | 'PUT'): OwnerCalls['post'] =>
    (path, body, expected = 200) =>
      ask(path, { method, headers, body: JSON.stringify(body) }, expected)

  return {
    get: path => ask(path, { headers }, 200),
    post: sending('POST'),
    put: sending('PUT'),
  }
}
