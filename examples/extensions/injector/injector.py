import os
import sys

# Your own extension has hookline_extension.py in its folder; this one uses the copy in the package.
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../packages/hookline/python"))

from hookline_extension import inject, remind, run_extension


def session_start(event):
    return inject(event["config"]["rules"])


async def after_edit(event):
    return remind({"body": "Run the tests before you finish.", "dedupeKey": "tests", "ttlTurns": 3})


run_extension("house-rules", {"session:start": session_start, "tool:after": after_edit})
