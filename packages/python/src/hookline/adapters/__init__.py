"""Adapters for agent frameworks, one module each. A module imports its framework only when it is used.

They follow the documented interfaces of the frameworks. They were not tried with the frameworks themselves: the tests use small stand-ins.
"""
