import { CfnBudget } from 'aws-cdk-lib/aws-budgets'
import type { Construct } from 'constructs'
import type { Config } from './config.ts'

/** Mails are sent at these shares of the budget, %, spent or forecast. */
const NOTICES = [
  { notificationType: 'ACTUAL', threshold: 80 },
  { notificationType: 'FORECASTED', threshold: 100 },
]

/**
 * The tag that CloudFormation gives to the resources of a stack. It counts once the owner of the account has
 * activated it as a cost allocation tag (docs/aws.md).
 */
const STACK_TAG = 'aws:cloudformation:stack-name'

/** A monthly budget of the stack, not of the whole account. */
export function createBudget(
  scope: Construct,
  id: string,
  { stackName, usd, email }: Pick<Config, 'stackName'> & { usd: number; email: string },
): CfnBudget {
  return new CfnBudget(scope, id, {
    budget: {
      budgetType: 'COST',
      timeUnit: 'MONTHLY',
      budgetLimit: { amount: usd, unit: 'USD' },
      // The form of AWS: key, dollar sign, value.
      costFilters: { TagKeyValue: [`${STACK_TAG}$${stackName}`] },
    },
    notificationsWithSubscribers: NOTICES.map(notice => ({
      notification: { ...notice, thresholdType: 'PERCENTAGE', comparisonOperator: 'GREATER_THAN' },
      subscribers: [{ subscriptionType: 'EMAIL', address: email }],
    })),
  })
}
