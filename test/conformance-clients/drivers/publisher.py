"""Emits numbered events until it is killed, and prints each number after its emit has returned: publisher.py <first number> [pause in ms]"""

import sys
import time

import hookline

client = hookline.connect("publisher", durable=True)
number = int(sys.argv[1])
while True:
    client.emit("myapp:booked", {"number": number, "text": "x" * (number % 97)})
    sys.stdout.write(f"{number}\n")
    sys.stdout.flush()
    number += 1
    if number % 50 == 0:
        time.sleep(0.002)
