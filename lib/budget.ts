import { CfnBudget } from 'aws-cdk-lib/aws-budgets'
import type { Construct } from 'constructs'

/** Mails are sent at these shares of the budget, %, spent or forecast. */
const NOTICES = [
  { notificationType: 'ACTUAL', threshold: 80 },
  { notificationType: 'FORECASTED', threshold: 100 },
]

/**
 * A monthly budget of the whole account. A budget of one stack would need a cost allocation tag, which the
 * owner of the account has to activate first.
 */
export function createBudget(scope: Construct, id: string, usd: number, email: string): CfnBudget {
  return new CfnBudget(scope, id, {
    budget: { budgetType: 'COST', timeUnit: 'MONTHLY', budgetLimit: { amount: usd, unit: 'USD' } },
    notificationsWithSubscribers: NOTICES.map(notice => ({
      notification: { ...notice, thresholdType: 'PERCENTAGE', comparisonOperator: 'GREATER_THAN' },
      subscribers: [{ subscriptionType: 'EMAIL', address: email }],
    })),
  })
}
