import { CfnBudget } from 'aws-cdk-lib/aws-budgets'
import type { Construct } from 'constructs'

/** Shares of the budget, %, of what was spent and of what the month is forecast to cost. */
const NOTICES = [
  { notificationType: 'ACTUAL', threshold: 80 },
  { notificationType: 'FORECASTED', threshold: 100 },
]

/**
 * A monthly budget of the whole account: costs of one stack can be told apart only after the account has made the stack's
 * tag one for cost allocation.
 */
export function monthlyBudget(scope: Construct, id: string, usd: number, email: string): CfnBudget {
  return new CfnBudget(scope, id, {
    budget: { budgetType: 'COST', timeUnit: 'MONTHLY', budgetLimit: { amount: usd, unit: 'USD' } },
    notificationsWithSubscribers: NOTICES.map(notice => ({
      notification: { ...notice, thresholdType: 'PERCENTAGE', comparisonOperator: 'GREATER_THAN' },
      subscribers: [{ subscriptionType: 'EMAIL', address: email }],
    })),
  })
}
