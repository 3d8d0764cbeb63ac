/** mark-attempt.ts for browsers, which follow redirects unseen. */
export const markAttempt = (): undefined => undefined;
