import { answeringCommand } from "../approvals/answer-approval.js";

export const command = answeringCommand("deny");
