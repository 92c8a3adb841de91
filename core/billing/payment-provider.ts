import type { Account } from '#core/accounts/account'

/** A subscription as the payment provider has it now. */
export type Subscription = {
  id: string
  account_id: string
  /** Who pays for it, as the provider names them. */
  customer: string
  is_paid: boolean
  /** Nothing will be charged for it again. */
  is_over: boolean
}

/** What we need of a payment provider; providers/stripe.ts implements it. */
export type PaymentProvider = {
  /** Where its checkout pages are, as a CSP source. */
  readonly checkoutOrigin: string
  /** Starts a checkout and returns the address of its page. */
  startCheckout(checkout: { account: Account; successUrl: string; cancelUrl: string }): Promise<string>
  /**
   * The subscription that a webhook is about; null for an event that does not concern us. Throws FORBIDDEN
   * when the signature is wrong or too old.
   */
  subscriptionOf(body: Uint8Array, signature: string): Promise<string | null>
  /** The subscription as it is now, or null when it is none of ours. */
  subscription(id: string): Promise<Subscription | null>
  /** Reports used events of a customer. A second report with the same id changes nothing. `at`: Unix ms. */
  reportUsage(report: { customer: string; id: string; events: number; at: number }): Promise<void>
  /** Ends a subscription at once, with a last bill. One that is over, or none of ours, is no error. */
  cancel(id: string): Promise<void>
}
