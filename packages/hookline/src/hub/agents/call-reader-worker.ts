import { answerInThread } from "../ingest/thread.js";
import { contentIn } from "./call-content.js";

answerInThread(contentIn);
